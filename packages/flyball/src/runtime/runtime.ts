import type { Agents, InputOf, OutputOf } from '../core/agent-types.js';
import type { Budget } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import type { Outcome } from '../core/outcome.js';
import type { Prompt } from '../core/prompt.js';
import type { StreamedEvent } from '../core/streamed-event.js';
import type { RunFilter, RunPage, RunRecord, RunStatus } from '../ports/engine.js';
import type { DeltaListener, EntryListener } from './audience.js';
import type { JournalPart } from './load.js';
import type { EventsOptions } from './run-events.js';

/** Options of `runtime.start`. */
export interface StartOptions {
  /** Required: a run cannot exist without bounds. `budget({ costUsd: 1 })` fills in the rest. */
  readonly budget: Budget;
  readonly subject?: string;
  readonly tenant?: string;
  readonly id?: string;
  readonly source?: string;
}

/** Who says it; and a name for the message, under which it is heard once, however often it is sent. */
export interface Sending {
  readonly by?: string;
  readonly id?: string;
}

/** What became of a signal. */
export interface Receipt {
  /** Heard by what is waited for now; kept until something waits for its name; or known, because its id came before. */
  readonly delivery: 'delivered' | 'buffered' | 'duplicate';
  /** The names that the run waits for. */
  readonly waiting: readonly string[];
}

/** A run, whose value has the type of its agent's where the compiler knows the agent. */
export interface RunHandle<O = unknown> {
  readonly id: string;
  /** How the run stands when it next rests, whichever process works on it: an outcome, or `suspended`. */
  outcome(): Promise<Outcome<O>>;
  /** How the run ends, however often it is suspended before. */
  finished(): Promise<Outcome<O>>;
  /**
   * Everything that happens to the run, from its beginning, with the text of replies while it is written: `for await (const
   * event of handle.events())`. Ends when the run rests. Each call is a reader of its own, which may be slow, and may break.
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
  /** Goes on with a run: after a crash, a pause, a stall, or a bound under a larger budget. */
  resume(
    runId: string,
    options?: { readonly budget?: Partial<Budget>; readonly by?: string },
  ): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /** Carries on a run that has something to do here and now, as a worker would; a pause stays a pause. */
  wake(runId: string): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  /**
   * Works on a run here until it rests, and answers how it does. For a dispatcher, which says whose turn it is: the run is
   * taken from whoever holds it, and the fence of the new claim keeps that one from writing. A run that has nothing to do
   * is left as it is. Rejects with JOURNAL_CONFLICT where somebody else is driving it by now.
   */
  drive(runId: string): Promise<Rested>;
  /**
   * Any run of the engine, also of an agent that this runtime does not have. Name its agent, and the value has its type;
   * a run of another agent is then refused when it is read.
   */
  handle<N extends keyof A & string>(runId: string, agent: N): RunHandle<OutputOf<A[N]>>;
  handle(runId: string): RunHandle;
  /**
   * Sends a signal to a name, or an answer to what a run asks a person: by the token of the open question.
   * A signal may come before anybody waits for it and is kept; an answer may not.
   */
  signal(
    runId: string,
    name: string,
    payload?: unknown,
    options?: {
      readonly from?: string;
      readonly id?: string;
      /** What the sender may do. A wait that needs a scope hears nobody else; `*` has them all. */
      readonly scopes?: readonly string[];
      /** `false`: they may send signals, but answer nothing that a person is asked. */
      readonly mayAnswer?: boolean;
    },
  ): Promise<Receipt>;
  /** Tells a run to do something differently from now on: `run.instructions()`. Paused, it hears it when it goes on. */
  redirect(runId: string, instruction: string, options?: Sending): Promise<void>;
  cancel(runId: string, options?: Sending & { readonly why?: string }): Promise<void>;
  pause(runId: string, options?: Sending): Promise<void>;
  fork(runId: string, options: ForkOptions): Promise<RunHandle<OutputOf<A[keyof A]>>>;
  get(runId: string): Promise<RunRecord>;
  list(filter?: RunFilter): Promise<RunPage>;
  /** The journal, all generations, oldest first; or what comes after an entry of it, at most `limit` entries. */
  entries(runId: string, part?: JournalPart): Promise<readonly Entry[]>;
  /** The prompt chain that ends in this link, as a model call of the run recorded it; undefined when unknown. */
  prompt(runId: string, tip: string): Promise<Prompt | undefined>;
  /** Called with entries once they are durable. Returns how to stop. */
  subscribe(listener: EntryListener): () => void;
  /** Pieces of replies while they arrive: not journaled. */
  subscribeDeltas(listener: DeltaListener): () => void;
  /**
   * Lets running effects end, for at most `drainMs` (or the runtime's option of that name), then gives every run back.
   * That is no crash: whoever goes on with a run whose effect was cut off here examines it like any other in doubt.
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
  /** Drops everything as if the process had died here: for tests. */
  abandon(): void;
  loaded(): number;
  /** The run whose code calls this, if it lives here: tells whose output or error something is. */
  current(): string | undefined;
  /**
   * For `unhandledRejection` and `uncaughtException`, called in the handler itself: fails the run whose code left the
   * error, and answers its id. Undefined where the error is not of a run that lives here.
   */
  blame(error: unknown): string | undefined;
}

/** How a run rests. */
export interface Rested {
  readonly status: RunStatus;
  /** It sleeps until then, unless something comes for it. */
  readonly wakeAt?: number;
}

/** Options of `runtime.fork`. */
export interface ForkOptions {
  /** The last entry that the fork inherits. */
  readonly at: number;
  readonly generation?: number;
  /** Acts on the world, after somebody approved it. Otherwise world-changing effects are simulated. */
  readonly live?: boolean;
  readonly budget?: Budget;
  readonly by?: string;
  readonly id?: string;
}
