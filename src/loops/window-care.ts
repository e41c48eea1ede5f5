import { append, linksOf, type Prompt, type Segment } from '../core/prompt.js';

/**
 * Keeping a long conversation inside the window. Lossless first: consumed tool results become stubs that can be read
 * back. Lossy second: old turns become one summary.
 *
 * Invariants:
 * 1. Setup, the task, protected segments and the turns kept as recent are never touched.
 * 2. A call and its result stay together: turns are kept or replaced whole.
 * 3. What is kept stays byte-identical and in order, and the result is smaller than before.
 */

/** A turn: an assistant's message and everything up to the next one. */
interface Turn {
  readonly from: number;
  readonly to: number;
}

export interface Cleared {
  readonly prompt: Prompt;
  /** By the id that the stub names: the content as it was. */
  readonly originals: ReadonlyMap<string, string>;
}

const STUB_MARK = '[cleared: ';

/** Tool results that a later turn has seen, as stubs. The same prompt comes back when nothing is worth clearing. */
export function clearConsumed(prompt: Prompt, keepRecent: number): Cleared {
  const links = linksOf(prompt);
  const until = recentFrom(links, keepRecent);
  const originals = new Map<string, string>();
  const segments = links.map((link, index) => {
    const stub = index < until ? stubFor(link) : undefined;
    if (stub === undefined) return link.segment;
    originals.set(recallId(link), link.segment.content);
    return { ...link.segment, content: stub };
  });
  return { prompt: originals.size === 0 ? prompt : chainOf(segments), originals };
}

function stubFor(link: Prompt): string | undefined {
  const { role, content, protect, name = 'a tool' } = link.segment;
  if (role !== 'tool' || protect || content.startsWith(STUB_MARK)) return undefined;
  const stub = `${STUB_MARK}result of ${name}, ${content.length} characters. recall_result with id "${recallId(link)}" gives it back.]`;
  return stub.length < content.length ? stub : undefined;
}

function recallId(link: Prompt): string {
  return `r_${link.id.slice(0, 10)}`;
}

/** Index from which on everything is recent. */
function recentFrom(links: readonly Prompt[], keepRecent: number): number {
  const turns = turnsOf(links);
  return turns[Math.max(0, turns.length - keepRecent)]?.from ?? links.length;
}

function turnsOf(links: readonly Prompt[]): readonly Turn[] {
  const starts = links.flatMap(({ segment }, index) => (segment.role === 'assistant' ? [index] : []));
  return starts.map((from, n) => ({ from, to: starts[n + 1] ?? links.length }));
}

/** The old turns that a summary may replace. */
export interface Span {
  readonly segments: readonly Segment[];
  /** The chain with the span replaced by one summary. */
  with(summary: string): Prompt;
}

/** Undefined when there is nothing old enough to summarise. */
export function compactable(prompt: Prompt, keepRecent: number): Span | undefined {
  const links = linksOf(prompt);
  const recent = recentFrom(links, keepRecent);
  const task = links.findLastIndex(({ segment }) => segment.role === 'user' && segment.owner !== 'loop');
  const old = turnsOf(links).filter(({ from, to }) => to <= recent && !holds(links, { from, to }, task));
  const replaced = new Set(old.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
  const [first] = replaced;
  if (first === undefined) return undefined;
  return {
    segments: links.filter((_, index) => replaced.has(index)).map(({ segment }) => segment),
    with: (summary) => chainOf(links.flatMap((link, index) => placed(link, index, { first, replaced, summary }))),
  };
}

function holds(links: readonly Prompt[], { from, to }: Turn, task: number): boolean {
  return (task >= from && task < to) || links.slice(from, to).some(({ segment }) => segment.protect);
}

function placed(
  link: Prompt,
  index: number,
  span: { readonly first: number; readonly replaced: ReadonlySet<number>; readonly summary: string },
): readonly Parameters<typeof append>[1][] {
  if (!span.replaced.has(index)) return [link.segment];
  if (index !== span.first) return [];
  const content = `[Summary of ${span.replaced.size} earlier messages, which it replaces]\n${span.summary}`;
  // it may repeat text from outside, so it is trusted no more than that
  return [{ role: 'user', content, owner: 'loop', trust: 'outside', band: 'log' }];
}

function chainOf(segments: readonly Parameters<typeof append>[1][]): Prompt {
  let tip: Prompt | undefined;
  for (const segment of segments) tip = append(tip, segment);
  if (tip === undefined) throw new RangeError('a chain has at least one segment');
  return tip;
}
