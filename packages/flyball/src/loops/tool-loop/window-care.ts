import { type Content, describePart, mediaIn } from '../../core/parts.js';
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
  readonly originals: ReadonlyMap<string, Content>;
  /** Place of the earliest segment that changed: up to there a provider's cache still holds. */
  readonly from: number;
}

const STUB_MARK = '[cleared: ';

/** How a result is shown that is no longer there, and up to which place results are used up. */
export interface Clearing {
  readonly stub?: (result: Segment) => string;
  readonly until?: number;
}

/** Tool results that a later turn has seen, as stubs. The same prompt comes back when nothing is worth clearing. */
export function clearConsumed(prompt: Prompt, keepRecent: number, { stub: shown, until }: Clearing = {}): Cleared {
  const links = linksOf(prompt);
  const [first, end] = [heldUntil(links), until ?? recentFrom(links, keepRecent)];
  const originals = new Map<string, Content>();
  let from = links.length;
  const segments = links.map((link, index) => {
    const stub = index >= first && index < end ? stubFor(link, shown) : undefined;
    if (stub === undefined) return link.segment;
    const { parts, ...rest } = link.segment;
    originals.set(recallId(link), parts ?? rest.content);
    from = Math.min(from, index);
    return { ...rest, content: stub, owner: 'loop' };
  });
  return { prompt: originals.size === 0 ? prompt : chainOf(segments), originals, from };
}

function stubFor(link: Prompt, shown: (result: Segment) => string = sizeOf): string | undefined {
  const { segment } = link;
  if (!isResult(segment) || segment.protect || isStub(segment)) return undefined;
  const stub = `${STUB_MARK}${shown(segment)}. ${RECALL_RESULT} with id "${recallId(link)}" gives it back.]`;
  return stub.length < link.size - (link.parent?.size ?? 0) ? stub : undefined;
}

function sizeOf({ content, parts, name = 'a tool' }: Segment): string {
  const media = mediaIn(parts).map((part) => `, ${describePart(part)}`);
  return `${name === TEXT_RESULTS ? 'results' : `result of ${name}`}, ${content.length} characters${media.join('')}`;
}

/** Index from which on something may change: what is protected as the end of a cached prefix holds all before it. */
function heldUntil(links: readonly Prompt[]): number {
  return links.findLastIndex(({ segment: { cache, protect } }) => cache === true && protect) + 1;
}

/**
 * Where the last turn before the task at hand begins. Whatever stands before it was looked up for tasks that are over, and
 * that turn has seen it.
 */
export function consumedBefore(prompt: Prompt): number {
  const links = linksOf(prompt);
  const task = links.findLastIndex(({ segment }) => isTask(segment));
  return links.slice(0, Math.max(0, task)).findLastIndex(({ segment }) => segment.role === 'assistant');
}

export function isStub({ content, owner }: Segment): boolean {
  return owner === 'loop' && content.startsWith(STUB_MARK);
}

function isResult({ role, name }: Segment): boolean {
  return role === 'tool' || (role === 'user' && name === TEXT_RESULTS);
}

function recallId(link: Prompt): string {
  return `r_${shortId(link)}`;
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
  /** Their links, by which the journal still has them. */
  readonly ids: readonly string[];
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
  const first = heldUntil(links);
  const old = turnsOf(links).filter(
    ({ from, to }) => from >= first && to <= recent && !holds(links, { from, to }, task),
  );
  if (old.length === 0) return undefined;
  const replaced = new Set(old.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, n) => from + n)));
  for (const [index, { segment }] of links.entries())
    if (index >= first && index < recent && isSummary(segment)) replaced.add(index);
  const span = links.filter((_, index) => replaced.has(index));
  return {
    segments: span.map(({ segment }) => segment),
    ids: span.map(shortId),
    fresh: span.reduce((sum, link) => sum + (isSummary(link.segment) ? 0 : link.size - (link.parent?.size ?? 0)), 0),
    with: (summary) => chainOf(links.flatMap((link, index) => placed(link, index, { links, replaced, summary }))),
  };
}

/** As stubs and summaries name a link. */
function shortId({ id }: Prompt): string {
  return id.slice(0, 10);
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
  { links, replaced, summary }: { links: readonly Prompt[]; replaced: ReadonlySet<number>; summary: string },
): readonly NewSegment[] {
  if (!replaced.has(index)) return [link.segment];
  const places = [...replaced].sort((a, b) => a - b);
  if (index !== places[0]) return [];
  const [from, to] = [link, links[places.at(-1) ?? index] ?? link].map(shortId);
  // one of the links: those between are in the journal, which has the list
  const content = `${SUMMARY_MARK}${replaced.size} earlier messages, ${from} to ${to}, which it replaces]\n${summary}`;
  // it may repeat text from outside, so it is trusted no more than that
  return [{ role: 'user', content, owner: 'loop', trust: 'outside', band: 'log' }];
}

function chainOf(segments: readonly NewSegment[]): Prompt {
  let tip: Prompt | undefined;
  for (const segment of segments) tip = append(tip, segment);
  if (tip === undefined) throw new RangeError('a chain has at least one segment');
  return tip;
}
