/** A piece of a document, small enough to be shown, with where it stands. */
export interface Chunk {
  readonly place: string;
  readonly text: string;
}

/** Longer lines are divided: one line can be a whole file. */
const MOST_CHARACTERS = 4_000;

/**
 * Pieces of at most `most` lines, in order, together the whole text but for empty lines between them. Cut at a heading or
 * an empty line where one stands in the second half of a piece, so that what belongs together stays together.
 */
export function chunksOf(text: string, most: number): readonly Chunk[] {
  const lines = text.split(/\r?\n/);
  const chunks: Chunk[] = [];
  for (let from = 0; from < lines.length; ) {
    const to = endOf(lines, from, most);
    chunks.push(...filled(lines, from, to));
    from = to;
  }
  return chunks;
}

/** The line before which to cut, counted from 0. */
function endOf(lines: readonly string[], from: number, most: number): number {
  const limit = fitting(lines, from, Math.min(lines.length, from + most));
  if (limit === lines.length) return limit;
  const half = from + Math.ceil((limit - from) / 2);
  for (let at = limit; at > half; at--) {
    const isHeading = /^#{1,6}\s/.test(lines[at] ?? '');
    if (isHeading || (lines[at] ?? '').trim() === '') return at;
  }
  return limit;
}

function fitting(lines: readonly string[], from: number, most: number): number {
  let size = 0;
  for (let at = from; at < most; at++) {
    size += (lines[at] ?? '').length + 1;
    if (size > MOST_CHARACTERS && at > from) return at;
  }
  return most;
}

function filled(lines: readonly string[], from: number, to: number): readonly Chunk[] {
  let [first, last] = [from, to - 1];
  while (first <= last && isBlank(lines[first])) first++;
  while (last >= first && isBlank(lines[last])) last--;
  if (first > last) return [];
  const place = first === last ? `line ${first + 1}` : `lines ${first + 1}-${last + 1}`;
  const text = lines.slice(first, last + 1).join('\n');
  return text.length <= MOST_CHARACTERS ? [{ place, text }] : partsOf(text, place);
}

function partsOf(text: string, place: string): readonly Chunk[] {
  const characters = Array.from(text); // never half of a surrogate pair
  const count = Math.ceil(characters.length / MOST_CHARACTERS);
  return Array.from({ length: count }, (_none, part) => ({
    place: `${place}, part ${part + 1} of ${count}`,
    text: characters.slice(part * MOST_CHARACTERS, (part + 1) * MOST_CHARACTERS).join(''),
  })).filter(({ text: piece }) => piece.trim() !== '');
}

function isBlank(line: string | undefined): boolean {
  return (line ?? '').trim() === '';
}
