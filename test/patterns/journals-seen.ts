import type { Entry, RunEvent } from 'flyball';
import { patternsIn } from 'flyball/views';
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

/** A pattern that made fewer or more calls than was predicted for it. */
export interface Unpredicted {
  readonly run: string;
  readonly path: string;
  readonly predicted: { readonly min: number; readonly max: number };
  readonly modelCalls: number;
  readonly how: string;
}

/** Files that share a process load this anew, and what watches is still the first. */
const SEEN = Symbol.for('flyball.test.journals-seen');
const everywhere = globalThis as { [SEEN]?: { readonly journals: Map<string, Seen[]>; found: Unpredicted[] } };
const state = everywhere[SEEN] ?? { journals: new Map<string, Seen[]>(), found: [] };
everywhere[SEEN] = state;

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

export function unpredictedIn(run: string, entries: readonly Entry[]): readonly Unpredicted[] {
  return patternsIn(entries).flatMap((use) => {
    const { predicted, path, modelCalls, how = 'open' } = use;
    if (predicted === undefined || isWithin(use, predicted)) return [];
    return [{ run, path, predicted, modelCalls, how }];
  });
}

/** What is still open, or was cut short, has made fewer calls than it was going to; more than the most is always wrong. */
function isWithin({ how, modelCalls }: PatternUse, { min, max }: Unpredicted['predicted']): boolean {
  const isWhole = how === 'done' || how === 'degraded' || how === 'returned';
  return modelCalls <= max && (!isWhole || modelCalls >= min);
}

function pushed(writer: Writing, { generation, seq, at, activeMs, event }: Entry): void {
  const kept = keptOf(event);
  if (kept === undefined) return;
  const seen = seenBy(writer, generation, seq);
  const entries = seen.entries.get(generation) ?? [];
  const next = entries.findIndex((entry) => entry.seq >= seq);
  // a place is written twice: the life that wrote it first was cut off before it was durable, or it was another run
  if (next >= 0) {
    state.found.push(...unpredictedIn(seen.run, entries));
    entries.splice(next);
  }
  if (entries.length === 0 && kept.type !== 'scope-start') return; // of no pattern
  entries.push({ generation, seq, at, activeMs, event: kept });
  seen.entries.set(generation, entries);
}

/** The rest of an event may be large, and every test would keep it. */
function keptOf(event: RunEvent): RunEvent | undefined {
  if (event.type === 'scope-start' || event.type === 'scope-end') return event;
  if (event.type !== 'ask-start') return undefined;
  const { type, id, attempt, reserved } = event;
  return { type, id, attempt, reserved } as RunEvent;
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
