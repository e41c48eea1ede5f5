import type { Agents, InputOf, OutputOf } from '../core/agent-types.js';
import type { Budget } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import type { Prompt } from '../core/prompt.js';
import type { StreamedEvent } from '../core/streamed-event.js';
import type { Rested } from '../ports/dispatcher.js';
import type { RunFilter, RunPage, RunRecord } from '../ports/engine.js';
import type { DeltaListener, EntryListener } from './audience.js';
import type { JournalPart } from './load.js';
import type { EventsOptions } from './run-events.js';

/** Options of `runtime.start`. */
export interface StartOptions {
  /** The limits of the run, required. `budget({ costUsd: 1 })` adds defaults for the other axes. */
  readonly budget: Budget;
  readonly subject?: string;
  readonly tenant?: string;
  readonly id?: string;
  readonly source?: string;
}

/** The sender of a message, and an id that makes sure it is delivered only once. */
export interface Sending {
  readonly by?: string;
  readonly id?: string;
}

/** What happened to a signal. */
export interface Receipt {
  /** Heard by what is waited for now; kept until something waits for its name; or known, because its id came before. */
  readonly delivery: 'delivered' | 'buffered' | 'duplicate';
  /** The names that the run waits for. */
  readonly waiting: readonly string[];
}

/** A handle of a run. Its outcome has the output type of the agent, if that is known. */
export interface RunHandle<O = unknown> {
  readonly id: string;
  /** Resolves when the run ends or waits, in whichever process: to its outcome, or to `suspended`. */
  outcome(): Promise<Outcome<O>>;
  /** Resolves to the outcome when the run has ended, through all waits. */
  finished(): Promise<Outcome<O>>;
  /**
   * Everything that happens to the run, from its beginning, with the text of replies while it is written: `for await
   * (const event of handle.events())`. Ends when the run ends or waits. Each call is a separate reader, which may be
   * slow and can stop at any time.
   */
  events(options?: EventsOptions): AsyncIterableIterator<StreamedEvent<O>>;
}

/**
 * `createRuntime` knows its agents: their names, what they are given and what they return. `Runtime` by itself is for code
 * whose agents are not known before it runs: any name and any input, which are checked when a run is started.
 */
export interface Runtime<A extends Agents = Agents> {
  /**
   * Rejects only where no run is stored, or where that cannot be told: STORAGE_UNCERTAIN names the run to look for. Where
   * the storage fails after that, `outcome()` and `finished()` of the handle say so: the run is there, and must not be
   * started again.
   */
  start<N extends keyof A & string>(
    agent: N,
    input: InputOf<A[N]>,
    options: StartOptions,
  ): Promise<RunHandle<OutputOf<A[N]>>>;
  /** Continues a run after a crash, a pause or a stall, or after a limit with a larger budget. */
  resume(
    runId: string,
    options?: { readonly budget?: Partial<Budget>; readonly by?: string },
  ): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /** Continues a run that has something to do, like a worker would. Does not end a pause. */
  wake(runId: string): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /**
   * Works on a run here until it rests, and answers how it does. For a dispatcher, which says whose turn it is: the run is
   * taken from whoever holds it, and the fence of the new claim keeps that one from writing. A run that has nothing to do
   * is left as it is. Rejects with JOURNAL_CONFLICT where somebody else is driving it by now.
   */
  drive(runId: string): Promise<Rested>;
  /**
   * A handle of any run in the engine, even if this runtime does not have its agent. If you name the agent, the value
   * has its type, and a run of another agent is refused.
   */
  handle<N extends keyof A & string>(runId: string, agent: N): RunHandle<OutputOf<A[N]>>;
  handle(runId: string): RunHandle;
  /**
   * Sends a signal by name, or the answer to a request by its token. A signal that arrives before the wait is kept;
   * an answer is accepted only while the request is open.
   */
  signal(
    runId: string,
    name: string,
    payload?: unknown,
    options?: {
      readonly from?: string;
      readonly id?: string;
      /** The scopes of the sender. A wait that requires scopes accepts only senders who have one; `*` means all. */
      readonly scopes?: readonly string[];
      /** If `false`, the sender may send signals, but not answer requests to people. */
      readonly mayAnswer?: boolean;
    },
  ): Promise<Receipt>;
  /**
   * Gives a run a new instruction, which it reads with `run.instructions()`. A paused run receives it when it
   * continues.
   */
  redirect(runId: string, instruction: string, options?: Sending): Promise<void>;
  cancel(runId: string, options?: Sending & { readonly why?: string }): Promise<void>;
  pause(runId: string, options?: Sending): Promise<void>;
  fork(runId: string, options: ForkOptions): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  get(runId: string): Promise<RunRecord>;
  list(filter?: RunFilter): Promise<RunPage>;
  /** The journal with all generations, oldest first; or at most `limit` entries after a position. */
  entries(runId: string, part?: JournalPart): Promise<readonly Entry[]>;
  /** The prompt with this id, as recorded by a model call of the run; undefined if unknown. */
  prompt(runId: string, tip: string): Promise<Prompt | undefined>;
  /** Called with entries once they are durable. Returns a function to unsubscribe. */
  subscribe(listener: EntryListener): () => void;
  /** Called with parts of replies as they arrive. They are not journaled. */
  subscribeDeltas(listener: DeltaListener): () => void;
  /**
   * Waits for running effects, for at most `drainMs`, then releases every run. This does not count as a crash. An
   * effect that was cut off is in doubt, and is examined by the process that continues the run.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
  /** Drops everything as if the process had died, for tests. */
  abandon(): void;
  loaded(): number;
  /** The id of the run whose code calls this, if it runs in this process. */
  current(): string | undefined;
  /**
   * Call it in handlers of `unhandledRejection` and `uncaughtException`: fails the run whose code caused the error,
   * and returns its id, or undefined if the error does not belong to a run in this process.
   */
  blame(error: unknown): string | undefined;
}

/** Options of `runtime.fork`. */
export interface ForkOptions {
  /** The last entry that the fork inherits. */
  readonly at: number;
  readonly generation?: number;
  /** Makes real effects, after somebody approved it. Otherwise, effects that change something are simulated. */
  readonly live?: boolean;
  readonly budget?: Budget;
  readonly by?: string;
  readonly id?: string;
}
