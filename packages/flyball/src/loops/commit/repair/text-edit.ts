/** One exact piece of a text and what comes in its place. */
export interface TextEdit {
  readonly old: string;
  readonly new: string;
}

/**
 * The smallest edit by whole lines that turns one text into the other and whose old piece occurs only once, in the text
 * and in the text with a line break at its end. Undefined where nothing differs, or the text has only line breaks.
 */
export function editBetween(before: string, after: string): TextEdit | undefined {
  if (before === after || isBlank(before)) return undefined;
  const [old, fresh] = [before.split('\n'), after.split('\n')];
  let { start, end } = shared(old, fresh);
  for (let more = 1; start > 0 || end > 0; more *= 2) {
    const edit = { old: piece(old, start, old.length - end), new: piece(fresh, start, fresh.length - end) };
    // a line that is taken out whole needs a neighbor: an empty piece would leave its line break behind
    const isWhole = edit.old !== '' && fresh.length - end > start;
    if (isWhole && isOnce(`${before}\n`, edit.old)) return edit;
    start = Math.max(0, start - more);
    end = Math.max(0, end - more);
  }
  return { old: before, new: after }; // the whole text is never mistaken
}

/** Nothing in it could be told from anything else. */
export function isBlank(text: string): boolean {
  return /^\n*$/.test(text);
}

function piece(lines: readonly string[], from: number, to: number): string {
  return lines.slice(from, to).join('\n');
}

function shared(a: readonly string[], b: readonly string[]): { start: number; end: number } {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return { start, end };
}

function isOnce(text: string, part: string): boolean {
  const first = text.indexOf(part);
  return first >= 0 && text.indexOf(part, first + 1) < 0;
}
