import { append, linksOf, type NewSegment, type Prompt, type Segment } from '../../core/prompt.js';
import { RECALL_RESULT } from './recall-result.js';
import { TEXT_RESULTS } from './text-calls.js';

/**
 * Keeping a long conversation inside the window. Lossless first: consumed tool results become stubs that can be read
 * back. Lossy second: old turns become one summary.
 *
 * Invariants:
 * 1. Setup, the task, protected segments and the turns kept as recent are never touched.
 * 2. A call and its result stay together: turns are kept or replaced whole.
 * 3. What is kept stays byte-identical and in order, and the result is smaller than before.
 * 4. Doing it again right away changes nothing more.
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
  /** Place of the earliest segment that changed: up to there a provider's cache still holds. */
  readonly from: number;
}

const STUB_MARK = '[cleared: ';

/** Tool results that a later turn has seen, as stubs. The same prompt comes back when nothing is worth clearing. */
export function clearConsumed(prompt: Prompt, keepRecent: number): Cleared {
  const links = linksOf(prompt);
  const until = recentFrom(links, keepRecent);
  const originals = new Map<string, string>();
  let from = links.length;
  const segments = links.map((link, index) => {
    const stub = index < until ? stubFor(link) : undefined;
    if (stub === undefined) return link.segment;
    originals.set(recallId(link), link.segment.content);
    from = Math.min(from, index);
    return { ...link.segment, content: stub, owner: 'loop' };
  });
  return { prompt: originals.size === 0 ? prompt : chainOf(segments), originals, from };
}

function stubFor(link: Prompt): string | undefined {
  const { content, protect, name = 'a tool' } = link.segment;
  if (!isResult(link.segment) || protect || isStub(link.segment)) return undefined;
  const what = name === TEXT_RESULTS ? 'results' : `result of ${name}`;
  const stub = `${STUB_MARK}${what}, ${content.length} characters. ${RECALL_RESULT} with id "${recallId(link)}" gives it back.]`;
  return stub.length < content.length ? stub : undefined;
}

export function isStub({ content, owner }: Segment): boolean {
  return owner === 'loop' && content.startsWith(STUB_MARK);
}

function isResult({ role, name }: Segment): boolean {
  return role === 'tool' || (role === 'user' && name === TEXT_RESULTS);
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
  /** Characters of it that were never summarised. */
  readonly fresh: number;
  /** The chain with the span replaced by one summary. */
  with(summary: string): Prompt;
}

/** Undefined when there is nothing old enough to summarise. A summary from before is part of the next span. */
export function compactable(prompt: Prompt, keepRecent: number): Span | undefined {
  const links = linksOf(prompt);
  const recent = recentFrom(links, keepRecent);
  const task = links.findLastIndex(({ segment }) => isTask(segment));
  const old = turnsOf(links).filter(({ from, to }) => to <= recent && !holds(links, { from, to }, task));
  if (old.length === 0) return undefined;
  const replaced = new Set(old.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
  for (const [index, { segment }] of links.entries()) if (index < recent && isSummary(segment)) replaced.add(index);
  const first = Math.min(...replaced);
  const span = links.filter((_, index) => replaced.has(index));
  return {
    segments: span.map(({ segment }) => segment),
    fresh: span.reduce((sum, link) => sum + (isSummary(link.segment) ? 0 : link.size - (link.parent?.size ?? 0)), 0),
    with: (summary) => chainOf(links.flatMap((link, index) => placed(link, index, { first, replaced, summary }))),
  };
}

/** What is protected is kept anyway: a word thrown in must not pass for the task and give the task up. */
function isTask({ role, owner, protect }: Segment): boolean {
  return role === 'user' && owner !== 'loop' && !protect;
}

function holds(links: readonly Prompt[], { from, to }: Turn, task: number): boolean {
  return (task >= from && task < to) || links.slice(from, to).some(({ segment }) => segment.protect);
}

const SUMMARY_MARK = '[Summary of ';

function isSummary({ role, owner, content, protect }: Segment): boolean {
  return role === 'user' && owner === 'loop' && !protect && content.startsWith(SUMMARY_MARK);
}

function placed(
  link: Prompt,
  index: number,
  span: { readonly first: number; readonly replaced: ReadonlySet<number>; readonly summary: string },
): readonly NewSegment[] {
  if (!span.replaced.has(index)) return [link.segment];
  if (index !== span.first) return [];
  const content = `${SUMMARY_MARK}${span.replaced.size} earlier messages, which it replaces]\n${span.summary}`;
  // it may repeat text from outside, so it is trusted no more than that
  return [{ role: 'user', content, owner: 'loop', trust: 'outside', band: 'log' }];
}

function chainOf(segments: readonly NewSegment[]): Prompt {
  let tip: Prompt | undefined;
  for (const segment of segments) tip = append(tip, segment);
  if (tip === undefined) throw new RangeError('a chain has at least one segment');
  return tip;
}
