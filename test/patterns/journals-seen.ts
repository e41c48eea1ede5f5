import type { Entry, RunEvent } from 'flyball';
import { exact, type Use } from 'flyball/patterns';
import { patternsIn } from 'flyball/views';
import { REPLY_REFUSED } from '../../packages/flyball/src/core/ask-until.js';
import { useMarked } from '../../packages/flyball/src/kit/pattern.js';
import { Writer } from '../../packages/flyball/src/runtime/writer.js';

/**
 * Every journal that is written in this process, whatever engine it lies in: of its entries those that say which pattern
 * ran, what was predicted for it, and how often a model was called.
 */
interface Seen {
  readonly run: string;
  readonly engine: object;
  /** By generation, in the order of the journal. */
  readonly entries: Map<number, Entry[]>;
}

type PatternUse = ReturnType<typeof patternsIn>[number];

/** A pattern that made fewer or more calls than was predicted for it, or other calls of its own than its formula gives. */
export interface Unpredicted {
  readonly run: string;
  readonly path: string;
  readonly predicted: { readonly min: number; readonly max: number };
  readonly modelCalls: number;
  readonly how: string;
  /** What the formula gives for the calls that are not those of a pattern inside it, and what they were. */
  readonly formula?: { readonly gives: number; readonly made: number };
}

interface State {
  readonly journals: Map<string, Seen[]>;
  found: Unpredicted[];
  /** By the parameters of a mark. */
  readonly uses: WeakMap<object, Use>;
  /** Spans that were held exactly. */
  held: number;
}

/** Files that share a process load this anew, and what watches is still the first. */
const SEEN = Symbol.for('flyball.test.journals-seen');
const everywhere = globalThis as { [SEEN]?: State };
const state = everywhere[SEEN] ?? { journals: new Map<string, Seen[]>(), found: [], uses: new WeakMap(), held: 0 };
everywhere[SEEN] = state;

/** How many spans were held against the exact number of their formula so far. */
export const heldExactly = (): number => state.held;

/** A test may run programs without end: of many journals the oldest are judged as they are, and forgotten. */
const MOST_RUNS = 500;
const MOST_LIVES = 20;

/** What broke its prediction since the last time this was asked. Whoever plants one takes it, so that nobody else does. */
export function takeUnpredicted(): readonly Unpredicted[] {
  for (const run of [...state.journals.keys()]) forget(run);
  const { found } = state;
  state.found = [];
  return found;
}

function forget(run: string): void {
  state.journals.get(run)?.forEach(judge);
  state.journals.delete(run);
}

function judge({ run, entries }: Seen): void {
  for (const each of entries.values()) state.found.push(...unpredictedIn(run, each));
}

/** A first attempt whose start a crash kept out of storage is made again under its id, as a first attempt: it is one call. */
function onceEach(entries: readonly Entry[]): readonly Entry[] {
  const asked = new Set<string>();
  return entries.filter(({ event, generation }) => {
    if (event.type !== 'ask-start' || event.attempt !== 1) return true;
    const id = `${generation} ${event.id}`;
    return !asked.has(id) && asked.add(id);
  });
}

export function unpredictedIn(run: string, written: readonly Entry[]): readonly Unpredicted[] {
  const entries = onceEach(written);
  const spans = patternsIn(entries);
  return spans.flatMap((span) => {
    const { predicted, path, modelCalls, how = 'open' } = span;
    if (predicted === undefined) return [];
    const found = { run, path, predicted, modelCalls, how };
    if (!isWithin(span, predicted)) return [found];
    const formula = inexact(span, spans, entries);
    return formula === undefined ? [] : [{ ...found, formula }];
  });
}

/** What is still open or ended with an exception did not come to tell all it counted. */
function inexact(
  span: PatternUse,
  spans: readonly PatternUse[],
  entries: readonly Entry[],
): Unpredicted['formula'] | undefined {
  const use = span.params === undefined ? undefined : state.uses.get(span.params);
  if (use === undefined || span.how === undefined || span.how === 'threw') return undefined;
  state.held++;
  const gives = exactOf(use, span);
  const { made, again } = ownCalls(span, spans, entries);
  // a session that holds its replies to a schema asks again by itself: a formula counts it as one call, or has a fact for it
  return made === gives || made - again === gives ? undefined : { gives, made };
}

const isBelow = (path: string, above: string): boolean => path.startsWith(`${above}/`);
const isIn = (path: string, above: string): boolean => path === above || isBelow(path, above);

/**
 * Calls that it made itself, and none of the patterns and children inside it; of these, the ones after a reply of the same session that
 * was refused. A call that a crash cut off is made again under its own id, and is one.
 */
function ownCalls(
  { path, generation }: PatternUse,
  spans: readonly PatternUse[],
  entries: readonly Entry[],
): { readonly made: number; readonly again: number } {
  const patterns = spans.filter((other) => other.generation === generation).map((other) => other.path);
  const children = entries.flatMap(({ event, generation: own }) =>
    event.type === 'spawn-start' && own === generation ? [event.path] : [],
  );
  const inside = [...patterns, ...children].filter((other) => isBelow(other, path));
  const isOwn = (place: string): boolean => isIn(place, path) && !inside.some((other) => isIn(place, other));
  const asked = new Set<string>();
  const refused = new Map<string, number>();
  let again = 0;
  for (const { event, generation: own } of entries) {
    if (own !== generation) continue;
    if (event.type === 'note' && isOwn(event.path)) {
      const key = `${event.path} ${String(event.event['session'])}`;
      refused.set(key, (refused.get(key) ?? 0) + 1);
    }
    if (event.type !== 'ask-start' || asked.has(event.id)) continue;
    const place = event.id.split('#')[0] ?? '';
    if (!isOwn(place)) continue;
    asked.add(event.id);
    const key = `${place} ${event.session}`;
    const left = refused.get(key) ?? 0;
    if (left === 0) continue;
    refused.set(key, left - 1);
    again++;
  }
  return { made: asked.size, again };
}

function exactOf({ calls, params, parts }: Use, { learned = {} }: PatternUse): number {
  const own = Object.fromEntries(
    Object.entries(parts).map(([role, part]) => [role, [part].flat().filter((one) => 'session' in one).length]),
  );
  return exact(calls, { params, facts: learned, parts: own });
}

/** What is still open, or was cut short, has made fewer calls than it was going to; more than the most is always wrong. */
function isWithin({ how, modelCalls }: PatternUse, { min, max }: Unpredicted['predicted']): boolean {
  const isWhole = how === 'done' || how === 'degraded' || how === 'returned';
  return modelCalls <= max && (!isWhole || modelCalls >= min);
}

function pushed(writer: Writing, { generation, seq, at, activeMs, event }: Entry): void {
  const kept = keptOf(event);
  // of no pattern, but it may stand where a life that was cut off had written something of one
  if (kept === undefined && !state.journals.has(writer.claim.runId)) return;
  if (kept?.type === 'scope-start' && kept.params !== undefined) {
    const use = useMarked(kept);
    if (use !== undefined) state.uses.set(kept.params, use);
  }
  const seen = seenBy(writer, generation, seq);
  const entries = seen.entries.get(generation) ?? [];
  const next = entries.findIndex((entry) => entry.seq >= seq);
  // a place is written twice: the life that wrote it first was cut off before it was durable, or it was another run
  if (next >= 0) {
    state.found.push(...unpredictedIn(seen.run, entries));
    entries.splice(next);
  }
  if (kept === undefined || (entries.length === 0 && kept.type !== 'scope-start')) return;
  entries.push({ generation, seq, at, activeMs, event: kept });
  seen.entries.set(generation, entries);
}

/** The rest of an event may be large, and every test would keep it. */
function keptOf(event: RunEvent): RunEvent | undefined {
  if (event.type === 'scope-start' || event.type === 'scope-end') return event;
  if (event.type === 'note') {
    const { kind, session } = event.event as { readonly kind: string; readonly session?: unknown };
    return kind === REPLY_REFUSED
      ? ({ type: 'note', path: event.path, event: { kind, session } } as RunEvent)
      : undefined;
  }
  if (event.type === 'spawn-start' && event.within !== true)
    return { type: event.type, id: event.id, path: event.path } as RunEvent;
  if (event.type !== 'ask-start') return undefined;
  const { type, id, attempt, reserved, session } = event;
  return { type, id, attempt, reserved, session } as RunEvent;
}

/** Each life may have an engine of its own around the one that stays: it goes on with the journal that was there. */
function seenBy({ engine, claim }: Writing, generation: number, seq: number): Seen {
  const { runId } = claim;
  const ofRun = state.journals.get(runId) ?? [];
  const own = ofRun.find((seen) => seen.engine === engine);
  if (own !== undefined) return own;
  if (ofRun.length === 0 && state.journals.size >= MOST_RUNS) forget([...state.journals.keys()][0] ?? runId);
  if (ofRun.length >= MOST_LIVES) ofRun.splice(0, 1).forEach(judge);
  const before = [...(ofRun.at(-1)?.entries ?? [])].filter(([each]) => each <= generation);
  const entries = new Map(
    before.map(([each, all]) => [each, each < generation ? all : all.filter((entry) => entry.seq < seq)]),
  );
  const seen = { run: runId, engine, entries };
  state.journals.set(runId, [...ofRun, seen]);
  return seen;
}

/** What a writer has that only it sees. */
interface Writing {
  readonly engine: object;
  readonly claim: { readonly runId: string };
}

const WATCHED = Symbol.for('flyball.test.journals-watched');

/** From now on journals are seen. Once in a process: files share it. */
export function watchJournals(): void {
  const prototype = Writer.prototype as unknown as { push: Writer['push']; [WATCHED]?: true };
  if (prototype[WATCHED]) return;
  prototype[WATCHED] = true;
  const { push } = prototype;
  prototype.push = function (this: Writer, event) {
    const written = push.call(this, event);
    pushed(this as unknown as Writing, written);
    return written;
  };
}
