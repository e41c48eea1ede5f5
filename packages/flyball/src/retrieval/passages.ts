import { ConfigError } from '../core/errors.js';

/** A part of a text that is indexed by itself. */
export interface Passage {
  /** UTF-16 units from the beginning of the text, the end not included. */
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
}

/** How documents are split into passages. */
export interface PassageOptions {
  /** Characters that a passage holds at most. 1,200 where absent: about 300 tokens. */
  readonly most?: number;
  /** Paragraphs of the passage before that are repeated, where they fit. 0 where absent. */
  readonly overlap?: number;
}

const MOST = 1_200;
/** A heading begins a new passage once the one before has this share of its size. */
const ENOUGH = 1 / 3;

interface Block {
  readonly from: number;
  readonly to: number;
  /** Of a heading, 1 to 6; 0 for anything else. */
  readonly level: number;
}

/**
 * Cuts a text into passages that together hold all of it but blank lines. Paragraphs are kept whole where they fit into a
 * passage; one that does not is cut at line ends, then at sentences, then anywhere. A heading goes with what follows it.
 */
export function passagesOf(text: string, options: PassageOptions = {}): readonly Passage[] {
  const { most = MOST, overlap = 0 } = options;
  if (!(Number.isInteger(most) && most >= 40)) throw new ConfigError(`most must be at least 40, got ${most}.`);
  if (!(Number.isInteger(overlap) && overlap >= 0))
    throw new ConfigError(`overlap must be at least 0, got ${overlap}.`);
  const blocks = blocksOf(text).flatMap((block) => fitting(text, block, most));
  const groups = grouped(blocks, most);
  const headings = headingsAbove(text, blocks);
  return groups.map((group, nth) => {
    const first = group[0] as Block;
    const last = group.at(-1) as Block;
    const before = overlap === 0 ? [] : (groups[nth - 1] ?? []).slice(-overlap);
    const from = before.map((block) => block.from).find((start) => last.to - start <= most) ?? first.from;
    return { from, to: last.to, text: text.slice(from, last.to), headings: headings.get(first) ?? [] };
  });
}

/** Paragraphs and headings. */
function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  const close = (): void => {
    if (open !== undefined) blocks.push(open);
    open = undefined;
  };
  for (const match of text.matchAll(/[^\n]*(?:\n|$)/g)) {
    const line = match[0].trimEnd();
    const [from, to] = [match.index, match.index + line.length];
    const level = /^(#{1,6})\s/.exec(line)?.[1]?.length ?? 0;
    if (line === '' || level > 0) close();
    if (line === '') continue;
    if (level > 0) blocks.push({ from, to, level });
    else open = open === undefined ? { from, to, level: 0 } : { ...open, to };
  }
  close();
  return blocks;
}

/** A block that is too long for a passage, in pieces that are not. */
function fitting(text: string, block: Block, most: number): readonly Block[] {
  const pieces: Block[] = [];
  for (let from = block.from; from < block.to; ) {
    const to = block.to - from <= most ? block.to : cutAt(text, from, from + most);
    pieces.push({ from, to, level: from === block.from ? block.level : 0 });
    from = to;
  }
  return pieces;
}

/** The last line end before `limit`, else the last end of a sentence, else the last blank, else `limit` itself. */
function cutAt(text: string, from: number, limit: number): number {
  const piece = text.slice(from, limit);
  const line = piece.lastIndexOf('\n');
  if (line > 0) return from + line + 1;
  const sentence = Math.max(...['. ', '! ', '? '].map((end) => piece.lastIndexOf(end)));
  if (sentence > 0) return from + sentence + 2;
  const blank = piece.lastIndexOf(' ');
  if (blank > 0) return from + blank + 1;
  // never half of a surrogate pair
  return /[\uD800-\uDBFF]$/.test(piece) ? limit - 1 : limit;
}

function grouped(blocks: readonly Block[], most: number): readonly (readonly Block[])[] {
  const groups: Block[][] = [];
  for (const block of blocks) {
    const open = groups.at(-1);
    const start = open?.[0]?.from ?? block.from;
    const isFull = block.to - start > most;
    const isSection = block.level > 0 && block.from - start >= most * ENOUGH;
    if (open === undefined || isFull || isSection) groups.push(withHeading(open, block, most));
    else open.push(block);
  }
  return groups.filter((group) => group.length > 0);
}

/** A heading that would end a passage goes to the next one, where it belongs. */
function withHeading(before: Block[] | undefined, block: Block, most: number): Block[] {
  const taken: Block[] = [];
  while (before !== undefined && (before.at(-1)?.level ?? 0) > 0) {
    const heading = before.at(-1) as Block;
    if (block.to - heading.from > most) break;
    before.pop();
    taken.unshift(heading);
  }
  return [...taken, block];
}

function headingsAbove(text: string, blocks: readonly Block[]): ReadonlyMap<Block, readonly string[]> {
  const above = new Map<Block, readonly string[]>();
  const open: { readonly level: number; readonly title: string }[] = [];
  for (const block of blocks) {
    if (block.level > 0) {
      while ((open.at(-1)?.level ?? 0) >= block.level) open.pop();
      open.push({ level: block.level, title: text.slice(block.from, block.to).replace(/^#+\s+/, '') });
    }
    above.set(
      block,
      open.map(({ title }) => title),
    );
  }
  return above;
}
