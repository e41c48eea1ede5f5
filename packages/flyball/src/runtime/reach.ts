import type { Budget } from '../core/budget.js';
import type { Entry, EventOf } from '../core/events.js';
import type { OtherRun } from '../core/other-runs.js';
import type { RunRecord } from '../ports/engine.js';

/** Who reaches for another run. */
export interface Reaching {
  readonly runId: string;
  readonly tenant: string;
  readonly subject: string;
  /** What a run that it starts has to know: who asked for it, and what people said no to. */
  readonly starter: NonNullable<EventOf<'run-start'>['starter']>;
}

/** What runs of this process can do to other runs. */
export interface OtherRunsHost {
  /** Starts a run under this id; one that is there already is left as it is. */
  start(by: Reaching, run: StartOther): Promise<void>;
  send(
    by: Reaching,
    to: string,
    message: { readonly name: string; readonly payload: unknown; readonly id: string },
  ): Promise<void>;
  /** `told`: it has said that it has ended, and may not have been given back yet. */
  look(by: Reaching, at: string, told: boolean): Promise<Looked>;
  /** Only whoever started a run cancels it. One that has ended is left as it is. */
  cancel(by: Reaching, run: string, id: string): Promise<void>;
  /**
   * Tells the run that started this one that it has ended, once for each end: at a bound it may come to several. Rejects
   * where the storage fails, which says nothing of it.
   */
  ended(record: RunRecord, end: Pick<Entry, 'generation' | 'seq'>): Promise<void>;
}

/** What a look at another run finds, and who has asked for that run: they asked for what comes of the look. */
export interface Looked {
  readonly found: OtherRun;
  readonly askers: readonly string[];
}

export interface StartOther {
  readonly id: string;
  readonly agent: string;
  readonly input: unknown;
  readonly budget: Budget;
  /** Of the effect that starts it. */
  readonly key: string;
}
