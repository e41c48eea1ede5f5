import type { Failure } from '../core/errors.js';

/** As much of a failure as its kind depends on. */
type Told = Pick<Failure, 'message' | 'originalCode'> & { readonly code: string };

const MOST_CHARS = 1200;

/**
 * What a model reads of failures: the first of a kind with its cause and detail, each further one as a single counted
 * line. The whole error stays in the journal; no stack trace reaches a prompt.
 */
export class ErrorLines {
  private readonly kinds = new Map<string, number>();

  /** The text for this failure of `tool`. */
  read(tool: string, failure: Told): string {
    const kind = errorKind(tool, failure);
    const times = (this.kinds.get(kind) ?? 0) + 1;
    this.kinds.set(kind, times);
    const text = withoutStack(failure.message);
    if (times === 1) return `Error ${failure.code}: ${shorten(text, MOST_CHARS)}`;
    return `Error ${failure.code} (×${times}), as before: ${shorten(firstLine(text), 100)}`;
  }
}

/** `file.ts:12:5`, `file.ts(12,5)` or `File "x.py", line 12`. An address with a port is no place in a file. */
const PLACE = /[\w./\\-]+\.[a-z]\w{0,4}(?::\d+:\d+|\(\d+(?:,\d+)?\)|", line \d+)/i;

/**
 * From raw fields, never from the digest: code, tool, place, and the message without what varies from time to time.
 * The place stays in, so that two different mistakes are not merged.
 */
export function errorKind(tool: string, { code, message, originalCode }: Told): string {
  const place = PLACE.exec(message.slice(0, 2 * MOST_CHARS))?.[0] ?? '';
  const plain = withoutStack(message)
    .slice(0, 2 * MOST_CHARS)
    .replaceAll(/(?:\/[\w.@-]+){2,}\/?/g, '<path>')
    .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b(?=[a-z]*\d)[0-9a-z]{12,}\b/gi, '<id>')
    .replaceAll(/\d+/g, '<n>');
  return [code, originalCode ?? '', tool, place, plain.slice(0, 400)].join('\u001f');
}

/** Frames of V8 and of the JVM, and frames of Python with the line of code below each. */
const FRAME = /^\s*at\s.*(?:\([^()]*(?::\d+|<anonymous>|native|index \d+)[^()]*\)|:\d+|<anonymous>)\s*$/;
const PYTHON_FRAME = /^\s*File ".*", line \d+(?:, in .*)?$/;
/** A frame is short; on a long line the patterns would only take time. */
const LONGEST_FRAME = 500;

export function withoutStack(message: string): string {
  const kept: string[] = [];
  let inFrame = false;
  for (const line of message.split('\n')) {
    const isCode = inFrame && /^\s{2,}\S/.test(line);
    const isShort = line.length <= LONGEST_FRAME;
    inFrame = isShort && PYTHON_FRAME.test(line);
    const isFrame = inFrame || isCode || (isShort && FRAME.test(line)) || line.startsWith('Traceback (most recent');
    if (!isFrame) kept.push(line);
  }
  return kept.join('\n').trim();
}

export function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}

function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.ceil(most * 0.7))} … [${text.length - most} characters left out] … ${text.slice(-Math.floor(most * 0.3))}`;
}
