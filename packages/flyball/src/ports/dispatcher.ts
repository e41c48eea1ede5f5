import type { RunPage, RunRecord, RunStatus } from './engine.js';

/**
 * Says whose turn it is, where that is not left to workers that look around. `dispatcherContract` tests what is said here. It has no part in what is written: the
 * journal stays with the engine, and the fence of a claim protects it from whoever was called before.
 */
export interface Dispatcher {
  /**
   * There is something to do for this run: have some process call `drive(runId)`, once or more often. `drive` answers
   * how the run rests; where it sleeps until a time, have it called again then. A call that rejects, or whose process died,
   * is made again, by another process where there is one. While a call is under way, no other process is called for the
   * run; what is dispatched meanwhile may have come too late for that call, and is driven after it. Resolves when this is
   * sure to happen.
   */
  dispatch(runId: string): Promise<void>;
  /**
   * A runtime that works on runs can be called from here on, until what this returns is called. Without it, whoever
   * dispatches finds out by other means whose `drive` to call. Whoever has it also asks each driver for `overdue` runs from
   * time to time and has them driven, so that a run goes on whatever was not handed over, or forgotten.
   */
  attend?(driver: Driver): () => void;
  /**
   * Whether whoever dispatches knows how to call this process, or has known it: what went wrong since is over by itself.
   * Without it, from the beginning.
   */
  isCallable?(): boolean;
  /** Where processes that attend can ask this one what it works on. */
  readonly address?: string;
  /** Where people look at what it does: its own user interface, which the studio links to. */
  readonly page?: string;
  /**
   * Whether the process at such an address says that it works on this run: whoever dispatches may have lost sight of one
   * that is alive, and taking a run from it would leave in doubt what it is doing. False where it does not answer at once.
   */
  isAtWork?(address: string, runId: string): Promise<boolean>;
}

/** A runtime that works on runs when a dispatcher says so. */
export interface Driver {
  /** Agents whose runs it works on. */
  readonly agents: readonly string[];
  /**
   * As `drive` of a runtime. Waits while as many runs live there as may, and rejects where the run is better off with
   * another process: it is to be dispatched again.
   */
  drive(runId: string): Promise<Rested>;
  /** Whether the run lives there. */
  has(runId: string): boolean;
  /** Rejects with RUN_NOT_FOUND. */
  get(runId: string): Promise<RunRecord>;
  /**
   * Runs that have been due for at least `forMs` and that nobody works on: nobody was told of them, or it was forgotten.
   * Those first that have waited longest, page by page.
   */
  overdue(query: { readonly forMs: number; readonly limit: number; readonly cursor?: string }): Promise<RunPage>;
}

/** The status of a run after `drive`. */
export interface Rested {
  readonly status: RunStatus;
  /** The run sleeps until then, unless a message arrives. */
  readonly wakeAt?: number;
}
