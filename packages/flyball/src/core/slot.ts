import type { BudgetSlice } from './budget.js';
import { BoundReachedError, type ErrorCode, FlyballError } from './errors.js';
import type { Outcome, Stop } from './outcome.js';
import type { Run, Settled } from './run.js';

/** One place of a fan-out, in the order of the input: what came of it, or why nothing did. */
export interface Slot<O> {
  readonly stop: Stop;
  /** There for `done` and `degraded` only: what is partial does not pass for an answer. */
  readonly value?: O;
  readonly because?: string;
}

/** A slot with a value. */
export type Filled<O> = Slot<O> & { readonly value: O };

export function isFilled<O>(slot: Slot<O>): slot is Filled<O> {
  return slot.stop === 'done' || slot.stop === 'degraded';
}

/** Not the branch's own end: the run, its journal or its wiring is at fault, and whoever is around has to know. */
const NOT_OURS: readonly ErrorCode[] = [
  'CANCELLED',
  'CONFIG_INVALID',
  'REPLAY_DIVERGED',
  'FOREIGN_AWAIT',
  'RUN_UNLOADED',
  'RUN_INSIDE_EFFECT',
  'JOURNAL_CONFLICT',
  'JOURNAL_CORRUPT',
  'STORAGE_FAILED',
  'STORAGE_FULL',
  'STORAGE_UNCERTAIN',
  'SCRIPT_EXHAUSTED',
  'CASSETTE_MISSING',
];

/** Runs branches side by side. Each may be lost without taking the others along: then its slot says why. */
export async function slotsOf<O>(
  run: Run,
  branches: readonly ((branch: Run) => Promise<Outcome<O>>)[],
  { width, slice }: { readonly width: number; readonly slice?: BudgetSlice },
): Promise<readonly Slot<O>[]> {
  if (branches.length === 0) return [];
  const within = slice === undefined ? branches : branches.map((body) => (branch: Run) => branch.within(slice, body));
  const ends = await run.all(within, width);
  const lost = ends.flatMap((end) => (end.ok ? [] : [end.error]));
  // nobody is left to answer: what can be tried again, or go on with more, is for whoever asked
  const open = lost.find(
    (error) => error instanceof FlyballError && (error.retryable || error instanceof BoundReachedError),
  );
  if (lost.length === ends.length && open !== undefined) throw open;
  return ends.map(slotIn);
}

function slotIn<O>(settled: Settled<Outcome<O>>): Slot<O> {
  if (settled.ok) return slotOf(settled.value);
  const { error } = settled;
  if (error instanceof BoundReachedError) return { stop: 'bounded', because: error.message };
  if (error instanceof FlyballError && NOT_OURS.includes(error.code)) throw error;
  return { stop: 'failed', because: error instanceof FlyballError ? `${error.code}: ${error.message}` : error.message };
}

/** An outcome as a slot. */
export function slotOf<O>(outcome: Outcome<O>): Slot<O> {
  switch (outcome.stop) {
    case 'done':
      return { stop: 'done', value: outcome.value };
    case 'degraded':
      return { stop: 'degraded', value: outcome.value, because: outcome.because };
    case 'bounded':
      return { stop: 'bounded', because: `the limit of ${outcome.bound} was reached (${outcome.limit})` };
    case 'suspended':
      return { stop: 'suspended', because: 'it waits' };
    default:
      return { stop: outcome.stop, because: outcome.because };
  }
}
