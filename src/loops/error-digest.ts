import type { Failure } from '../core/errors.js';

const MOST_CHARS = 1200;

/**
 * What a model reads of failures: the first of a kind with its cause and detail, each further one as a single counted
 * line. The whole error stays in the journal; no stack trace reaches a prompt.
 */
export class ErrorDigest {
  private readonly kinds = new Map<string, number>();

  /** The text for this failure of `tool`. */
  read(tool: string, failure: Failure): string {
    const kind = kindOf(tool, failure);
    const times = (this.kinds.get(kind) ?? 0) + 1;
    this.kinds.set(kind, times);
    const text = withoutStack(failure.message);
    if (times === 1) return `Error ${failure.code}: ${shorten(text, MOST_CHARS)}`;
    return `Error ${failure.code} (×${times}), as before: ${shorten(firstLine(text), 160)}`;
  }

  /** How many kinds there were, and how often each: for the loop's result. */
  counts(): ReadonlyMap<string, number> {
    return this.kinds;
  }
}

/**
 * From raw fields, never from the digest: code, tool, place, and the message without what varies from time to time.
 * The place (`file.ts:12`) stays in, so that two different mistakes are not merged.
 */
function kindOf(tool: string, { code, message, originalCode }: Failure): string {
  const place = /[\w./-]+\.\w+[:(]\d+/.exec(message)?.[0] ?? '';
  const plain = withoutStack(message)
    .replaceAll(/(?:\/[\w.@-]+){2,}\/?/g, '<path>')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-z]*\d)[0-9a-z]{12,}\b/gi, '<id>')
    .replaceAll(/\d+/g, '<n>');
  return [code, originalCode ?? '', tool, place, plain.slice(0, 400)].join('\u001f');
}

function withoutStack(message: string): string {
  return message
    .split('\n')
    .filter((line) => !/^\s+at .+(?:\(|:\d+)/.test(line))
    .join('\n')
    .trim();
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.ceil(most * 0.7))} … [${text.length - most} characters left out] … ${text.slice(-Math.floor(most * 0.3))}`;
}
