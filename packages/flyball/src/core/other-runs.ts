import type { BudgetSlice } from './budget.js';
import type { Outcome } from './outcome.js';

/** A run that this one started. Plain data: it can be kept, posted to a board or handed on. */
export interface RunRef {
  readonly run: string;
  readonly agent: string;
}

/** Options of `run.start`. */
export interface StartRunOptions {
  /**
   * What the new run may spend: amounts, and `share` of what is left here for the axes that are not named (a tenth where
   * it is absent). All of it counts against this budget until the end of the run is known (`join`, `look`), and then only what
   * the run used.
   */
  readonly slice?: Omit<BudgetSlice, 'of' | 'shared'>;
}

/** How another run stands: its status, and its outcome where it has ended. */
export interface OtherRun {
  readonly status: string;
  readonly outcome?: Outcome<unknown>;
}

/** The signal by which a run tells the one that started it that it has ended. */
export function endedSignal(runId: string): string {
  return `ended:${runId}`;
}

const STARTED_BY = 'run:';

/** Who started a run, as its record keeps it. */
export function sourceOf(runId: string): string {
  return `${STARTED_BY}${runId}`;
}

/** The run that started the one with this source, where it was one. */
export function starterIn(source: string | undefined): string | undefined {
  return source?.startsWith(STARTED_BY) === true ? source.slice(STARTED_BY.length) : undefined;
}
