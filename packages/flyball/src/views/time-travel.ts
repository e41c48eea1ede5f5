import type { Amounts } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import { lastGeneration } from '../core/fork-points.js';
import { type Checkpoint, checkpointOf } from './checkpoint.js';
import { type OpenEffect, type RunSummary, summarise } from './summary.js';
import { UsageFold } from './usage.js';

export { type ForkPointVerdict, forkPointCheck, forkPoints } from '../core/fork-points.js';

/** The state of a run at some point of its journal. Folded from entries: no code runs. */
export interface StateAt {
  readonly summary: RunSummary;
  readonly checkpoint: Checkpoint;
  readonly open: readonly OpenEffect[];
  readonly spent: Amounts;
}

/** Entries up to and with position `seq` of a generation: the last one where none is named. */
export function asOf(entries: readonly Entry[], seq: number, generation = lastGeneration(entries)): readonly Entry[] {
  return entries.filter(
    (entry) => entry.generation < generation || (entry.generation === generation && entry.seq <= seq),
  );
}

/** The state of a run as of an entry of its journal. */
export function stateAt(
  runId: string,
  entries: readonly Entry[],
  at: { readonly seq: number; readonly generation?: number },
): StateAt {
  const until = asOf(entries, at.seq, at.generation);
  const summary = summarise(until);
  const usage = new UsageFold();
  for (const entry of until) usage.apply(entry);
  return { summary, checkpoint: checkpointOf(runId, until), open: summary.open, spent: usage.spent };
}
