import type { Artefact } from '../../../core/work.js';

/**
 * The text of a reply without the one code fence that models like to put around it. A fence that the text to be replaced
 * has itself is kept: there it is content.
 */
export function unfenced(reply: string, original: string): string {
  const inner = innerOf(reply);
  if (inner === undefined) return reply;
  return innerOf(original) !== undefined && innerOf(inner) === undefined ? reply : inner;
}

function innerOf(text: string): string | undefined {
  const lines = text.trim().split('\n');
  const fence = /^(`{3,}|~{3,})[^`]*$/.exec(lines[0]?.trimEnd() ?? '')?.[1];
  if (fence === undefined || lines.length < 2 || lines.at(-1)?.trim() !== fence) return undefined;
  const inner = lines.slice(1, -1);
  // two blocks with text between them are no fence around everything
  return inner.some((line) => line.trim() === fence) ? undefined : inner.join('\n');
}

/** The lines for a window. Empty ones at its ends are lost in most replies, and were not what was to be changed. */
export function withEdges(reply: string, lines: readonly string[]): string {
  const isBlank = (line: string): boolean => line.trim() === '';
  const body = reply.split(/\r?\n/);
  while (body.length > 0 && isBlank(body[0] ?? '')) body.shift();
  while (body.length > 0 && isBlank(body.at(-1) ?? '')) body.pop();
  const first = lines.findIndex((line) => !isBlank(line));
  const last = lines.findLastIndex((line) => !isBlank(line));
  const all = first < 0 ? body : [...lines.slice(0, first), ...body, ...lines.slice(last + 1)];
  return all.map((line) => `${line}\n`).join('');
}

const HEAD = '@@@ ';

/** The line that stands before each artefact in a reply with several. */
export function headOf(name: string): string {
  return `${HEAD}${name}`;
}

/**
 * The artefacts in a reply: each after its head, only those that were asked for, each once. Undefined where the reply
 * has another form: a text that belongs to nobody would otherwise be put somewhere.
 */
export function artefactsIn(reply: string, asked: readonly Artefact[]): readonly Artefact[] | undefined {
  const lines = unfenced(reply, '')
    .replace(/^\s*\n/, '')
    .split('\n');
  const heads = lines.flatMap((line, index) => {
    const name = line.trimEnd().startsWith(HEAD) ? line.trimEnd().slice(HEAD.length) : undefined;
    return asked.some((each) => each.name === name) ? [{ name: name ?? '', index }] : [];
  });
  if (heads[0]?.index !== 0 || new Set(heads.map(({ name }) => name)).size !== heads.length) return undefined;
  return heads.map(({ name, index }, nth) => {
    const text = lines.slice(index + 1, heads[nth + 1]?.index ?? lines.length).join('\n');
    return { name, text: unfenced(text, asked.find((each) => each.name === name)?.text ?? '') };
  });
}
