import type { Asking } from './approval-rules.js';
import type { Board } from './board.js';
import type { BudgetSlice, BudgetView } from './budget.js';
import type { ChildSlice } from './child-slice.js';
import type { Framing } from './framing.js';
import type { Mark } from './mark.js';
import type { Note } from './notes.js';
import type { OtherRun, RunRef, StartRunOptions } from './other-runs.js';
import type { Outcome } from './outcome.js';
import type { Instruction } from './run-state.js';
import type { JsonSchema, StandardSchema } from './schema.js';
import type { ToolSeams } from './seams.js';
import type { Input, Reply, Session } from './session.js';
import type { ArgsFor, EffectClass, EffectContext, ToolRef, ToolResult } from './tool.js';

/** An agent is a function that takes a run and an input and returns an outcome. */
export type Agent<I, O> = (run: Run, input: I) => Promise<Outcome<O>>;

/**
 * An agent as an object, as `defineAgent` and `workflow` return it. You can pass it wherever an agent function is
 * expected.
 */
export type AgentLike<I, O> = Agent<I, O> | { readonly name: string; readonly agent: Agent<I, O> };

/** The id of a run. */
export type RunId = string;
/** Milliseconds since the epoch. */
export type Instant = number;

/** A value or an error. */
export type Settled<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: Error };

/** The result of a branch, and which branch it is. */
export type Arrived<T> = Settled<T> & { readonly index: number };

/** What `run.wait` waits for: a name, a schema, a deadline. */
export interface SignalSpec<T> {
  readonly name: string;
  readonly schema?: StandardSchema<unknown, T>;
  /** Stored with the wait, so that senders in other processes are told immediately if their payload does not fit. */
  readonly jsonSchema?: JsonSchema;
  readonly timeoutMs?: number;
  readonly deadline?: Instant;
  /** The payload is input: it passes the `input` seam before it is journaled. */
  readonly isInput?: true;
  /** What the person or system that answers should know. */
  readonly request?: unknown;
  /** The wait is for a verdict: it is shown among the approvals, and only people who may decide can answer. */
  readonly approval?: Asking;
}

/** An answer and who gave it. */
export interface Heard<T> {
  readonly value: T;
  readonly from: string;
}

/** A tool call that was made, as recorded in the journal. */
export interface MadeCall {
  readonly effect: string;
  readonly tool: string;
  /** As it was made: what guards and people made of it. Where it was refused, as it was proposed. */
  readonly args: unknown;
  /** `args` is only the beginning of their JSON, as text: they are long. */
  readonly argsCut?: true;
  /** What a model reads of it: its result, or why there is none. The beginning, where it is long. */
  readonly result: string;
  /** It took place and gave a result. */
  readonly ok: boolean;
  /** It took place, whatever became of its result: a guard may have refused to show it. */
  readonly tookPlace: boolean;
  /** Code of the failure, where it failed or was refused. */
  readonly code?: string;
  /** A person gave the result, or a fork only simulated it. */
  readonly standIn?: 'person' | 'simulated';
  /** It asked a person, who said no. */
  readonly declined?: true;
}

/** Something an agent reports, such as a phase change. Stored in the journal, but not used by a replay. */
export interface DomainEvent {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The run inside `run.enter`. */
export interface Entered extends Run {
  /** What the pattern found out beside its value: an agreement, a number of rounds. Told at its end, later words win. */
  learned(what: Readonly<Record<string, unknown>>): void;
}

/** The run that an agent works with. Everything an agent does outside its own code goes through it. */
export interface Run {
  /**
   * While a fork replays inherited entries, this is the id of the original run, so that the code makes the same
   * effects.
   */
  readonly id: RunId;
  readonly path: string;
  /** The person or service on whose behalf the run was started. A fork has the subject of the original run. */
  readonly subject: string;
  readonly tenant: string;
  readonly signal: AbortSignal;
  readonly budget: BudgetView;
  /**
   * One model call. With an output schema, the model is asked again until the reply fits, a limited number of times.
   */
  ask<T>(session: Session<T>, input: Input): Promise<Reply<T>>;
  /** A tool call. It passes all guards and is journaled. A denied or failed call is returned, not thrown. */
  call<T, R extends ToolRef<T> = ToolRef<T>>(tool: ToolRef<T> & R, args: ArgsFor<R>): Promise<ToolResult<T>>;
  /**
   * The tool calls that ended in this scope and below, in order, from the journal, including those before a crash or
   * a wait. Calls of children are not included, and a new generation starts with none.
   */
  calls(): readonly MadeCall[];
  /**
   * The models that answered in this scope and below, including children, from the replies in the journal. If a
   * router used a fallback, the fallback is listed.
   */
  models(): readonly string[];
  /** Any other effect. Its class is required, because it decides what happens after a crash. */
  step<A, T>(
    name: string,
    input: A,
    effect: (input: A, how: EffectContext) => Promise<T> | T,
    effectClass: EffectClass<NoInfer<A>, NoInfer<T>>,
  ): Promise<T>;
  /** Runs a child agent with its own scope and a part of this budget. It sees only its input. */
  spawn<I, O>(agent: AgentLike<I, O>, input: NoInfer<I>, slice: ChildSlice): Promise<Outcome<O>>;
  /**
   * Starts a run of an agent that the runtime knows by this name: with a journal and a life of its own, in the background.
   * It is cancelled when what started it here is rolled back: this run, a child or a branch that fails, loses or is
   * cancelled. It goes on where this run is done.
   */
  start(agent: string, input: unknown, options?: StartRunOptions): Promise<RunRef>;
  /** Sends a signal to another run of the same tenant: `run.wait` there hears it. It answers nothing that a person is asked. */
  send(ref: RunRef, name: string, payload?: unknown): Promise<void>;
  /** The outcome of another run, once it has ended. Durable, like `wait`: no process is held. */
  join<O = unknown>(ref: RunRef): Promise<Outcome<O>>;
  /** How another run stands now. */
  look(ref: RunRef): Promise<OtherRun>;
  /** Cancels a run that this one started. */
  cancel(ref: RunRef): Promise<void>;
  /**
   * State shared with branches and children, kept in the journal: what is in a variable is lost with the process, and
   * what a child put there is lost as soon as the run is resumed. A child has its own boards, unless its slice names
   * one of its parent's: `run.spawn(agent, input, { share: 0.5, boards: ['facts'] })`.
   */
  board<E = unknown>(name: string, schema?: StandardSchema<unknown, E>): Board<E>;
  /**
   * Code with a part of the budget, without a child: no isolation, and no level of `depth`. A bound of its own rejects with
   * a `BoundReachedError` and ends nothing around it; what is left of the part goes back when `body` ends.
   */
  within<T>(slice: BudgetSlice, body: (run: Run) => Promise<T>): Promise<T>;
  /** A named part of the run with its own effect names and the same budget. */
  scope(name: string): Run;
  /**
   * A scope that says which pattern it is, numbers itself, and lasts as long as `body`: two uses of one pattern have two
   * paths. Its begin and its end are in the journal, with what `run.learned` told meanwhile.
   */
  enter<T>(mark: Mark, body: (run: Entered) => Promise<T>): Promise<T>;
  /**
   * The best value so far. It is told at once, and is the `partial` of an end that has no value and no other partial. In a
   * pattern (`enter`) it stands for those around it, until one of those tells its own.
   */
  best(value: unknown): void;
  /** The same run with more guards for every tool call made through it, including calls of children and branches. */
  guarded(seams: ToolSeams): Run;
  /**
   * The same run, with this framing on every session that is asked through it, by children, branches and loops too. It is
   * applied before anything is counted, reserved or journaled. Framings stack: the outermost has the last word.
   */
  dressed(framing: Framing): Run;
  /** The session as an ask through this run sends it, for code that counts or measures before it asks. */
  framed<T>(session: Session<T>): Session<T>;
  all<T>(branches: readonly ((run: Run) => Promise<T>)[], width: number): Promise<readonly Settled<T>[]>;
  /** Returns the first branch that succeeds. The others are cancelled, and their effects are undone. */
  first<T>(branches: readonly ((run: Run) => Promise<T>)[]): Promise<T>;
  /**
   * Results as they come, at most `width` branches at a time, started in order. They come in the order of the journal, so a
   * replay brings the same. `slice`: what each branch has of the budget. Leaving the loop cancels the branches that are open and undoes what they did; what has settled
   * stays.
   */
  each<T>(
    branches: readonly ((run: Run) => Promise<T>)[],
    how: { readonly width: number; readonly slice?: BudgetSlice },
  ): AsyncIterable<Arrived<T>>;
  /**
   * So many of the branches: resolves when `need` have succeeded, when all have settled, or at the deadline, with what has
   * come until then, in that order. Those that are open then are cancelled and undone; none that has come is.
   */
  some<T>(
    branches: readonly ((run: Run) => Promise<T>)[],
    how: {
      readonly need: number;
      readonly width: number;
      readonly deadline?: Instant;
      readonly slice?: BudgetSlice;
    },
  ): Promise<readonly Arrived<T>[]>;
  /** Waits for a signal, for minutes or months, without keeping a process. */
  wait<T>(signal: SignalSpec<T>): Promise<T | 'timed-out'>;
  /** Like `wait`, and also returns who answered. */
  hear<T>(signal: SignalSpec<T>): Promise<Heard<T> | 'timed-out'>;
  /**
   * The instructions people gave the run with `runtime.redirect`, oldest first. They apply for the rest of the run.
   */
  instructions(): readonly Instruction[];
  sleep(ms: number): Promise<void>;
  /** The current time, as of the last result that the code received. A replay returns the same value. */
  now(): Instant;
  random(): number;
  /** Records an event for subscribers and views. Kinds in `NoteKinds` are typed; others can have any fields. */
  note<Kind extends string>(event: Note<Kind>): void;
  /**
   * True in runs that reach this point for the first time, false in older runs that are already past it. A run in which
   * it was true continues only on code that asks again.
   */
  changed(id: string): boolean;
  /**
   * Fixes a value for the whole run: returns the first value given under this name in this scope, in later
   * generations, other processes and forks too.
   */
  pin<T>(name: string, value: T): T;
  /** Starts a fresh generation of the journal, in which the agent starts again with `state` as its input. */
  continueWith<S>(state: S): never;
}
