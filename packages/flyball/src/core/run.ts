import type { Asking } from './approval-rules.js';
import type { Board } from './board.js';
import type { BudgetSlice, BudgetView } from './budget.js';
import type { ChildSlice } from './child-slice.js';
import type { Framing } from './framing.js';
import type { Mark } from './mark.js';
import type { Note } from './notes.js';
import type { Outcome } from './outcome.js';
import type { Instruction } from './run-state.js';
import type { JsonSchema, StandardSchema } from './schema.js';
import type { ToolSeams } from './seams.js';
import type { Input, Reply, Session } from './session.js';
import type { ArgsFor, EffectClass, EffectContext, ToolRef, ToolResult } from './tool.js';

/** An agent is a function. Every pattern takes agents or sessions and returns one, so anything nests in anything. */
export type Agent<I, O> = (run: Run, input: I) => Promise<Outcome<O>>;

/** Where a function is asked for, what `defineAgent` and `workflow` make is one too: this is the function they run. */
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
  /** Stored with the wait, so that a sender in another process is told at once when its payload does not fit. */
  readonly jsonSchema?: JsonSchema;
  readonly timeoutMs?: number;
  readonly deadline?: Instant;
  /** What comes is input like the run's own: it passes the `input` seam before it is journaled. */
  readonly isInput?: true;
  /** What the person or system on the other side should know. */
  readonly request?: unknown;
  /** It is a verdict that is waited for: shown among the approvals, and only who may decide is heard. */
  readonly approval?: Asking;
}

/** An answer and who gave it. */
export interface Heard<T> {
  readonly value: T;
  readonly from: string;
}

/** A tool call as the journal holds it. A description of a call is never one of these. */
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

/** Something the agent tells its observers: phase changes, verdicts, plan diffs. Kept in the journal, never replayed from it. */
export interface DomainEvent {
  readonly kind: string;
  readonly [key: string]: unknown;
}

/** The run inside `run.enter`. */
export interface Entered extends Run {
  /** What the pattern found out beside its value: an agreement, a number of rounds. Told at its end, later words win. */
  learnt(what: Readonly<Record<string, unknown>>): void;
}

/** The only door to the world: bounded, journaled, governed, traced and replayed in one place. */
export interface Run {
  /** In a fork it is that of the run it came from while the code repeats what it inherited, so that it asks the same again. */
  readonly id: RunId;
  readonly path: string;
  /** On whose behalf it runs. A fork has that of the run it came from; who made it is asked about by guards. */
  readonly subject: string;
  readonly tenant: string;
  readonly signal: AbortSignal;
  readonly budget: BudgetView;
  /** One model call. With an output schema it is asked again, a bounded number of times, until the reply fits. */
  ask<T>(session: Session<T>, input: Input): Promise<Reply<T>>;
  /** A governed, journaled tool call. A denied or failed call is an observation, not an exception. */
  call<T, R extends ToolRef<T> = ToolRef<T>>(tool: ToolRef<T> & R, args: ArgsFor<R>): Promise<ToolResult<T>>;
  /**
   * The calls that ended in this scope and below it, in the order in which they ended, read off the journal: those made
   * before a crash or a suspension too. A child's calls are the child's own, and a new generation starts with none.
   */
  calls(): readonly MadeCall[];
  /**
   * The models that answered in this scope and below it, children included, read off the replies in the journal. A model
   * that was configured and never asked is not among them, and where a router chose another one, that one is.
   */
  models(): readonly string[];
  /** Any other effect. Its class is not optional: what a crash may repeat is a decision, not a default. */
  step<A, T>(
    name: string,
    input: A,
    effect: (input: A, how: EffectContext) => Promise<T> | T,
    effectClass: EffectClass<NoInfer<A>, NoInfer<T>>,
  ): Promise<T>;
  /** A child with its own scope and a budget carved from this one; it sees only its input. */
  spawn<I, O>(agent: AgentLike<I, O>, input: NoInfer<I>, slice: ChildSlice): Promise<Outcome<O>>;
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
  /** A named sub-scope: same budget, its own effect names. */
  scope(name: string): Run;
  /**
   * A scope that says which pattern it is, numbers itself, and lasts as long as `body`: two uses of one pattern have two
   * paths. Its begin and its end are in the journal, with what `run.learnt` told meanwhile.
   */
  enter<T>(mark: Mark, body: (run: Entered) => Promise<T>): Promise<T>;
  /**
   * The best value so far. It is told at once, and is the `partial` of an end that has no value and no other partial. In a
   * pattern (`enter`) it stands for those around it, until one of those tells its own.
   */
  best(value: unknown): void;
  /** The same run with further guards around every tool call that is made through it, by children and branches too. */
  guarded(seams: ToolSeams): Run;
  /**
   * The same run, with this framing on every session that is asked through it, by children, branches and loops too. It is
   * applied before anything is counted, reserved or journaled. Framings stack: the outermost has the last word.
   */
  dressed(framing: Framing): Run;
  /** The session as an ask through this run sends it, for code that counts or measures before it asks. */
  framed<T>(session: Session<T>): Session<T>;
  all<T>(branches: readonly ((run: Run) => Promise<T>)[], width: number): Promise<readonly Settled<T>[]>;
  /** The first branch to succeed wins; the others are cancelled and what they did is compensated. */
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
  /** Durable: minutes or months, no process held. */
  wait<T>(signal: SignalSpec<T>): Promise<T | 'timed-out'>;
  /** As `wait`, and says who answered. */
  hear<T>(signal: SignalSpec<T>): Promise<Heard<T> | 'timed-out'>;
  /** What people told the run while it went on, oldest first (`runtime.redirect`). It stands for the rest of the run. */
  instructions(): readonly Instruction[];
  sleep(ms: number): Promise<void>;
  /** The time of the last delivered completion. */
  now(): Instant;
  random(): number;
  /** Tells observers something. Kinds in `NoteKinds` are checked; others hold what you like. */
  note<Kind extends string>(event: Note<Kind>): void;
  /** True in runs that reach this point for the first time; false in older runs that already went past it. */
  changed(id: string): boolean;
  /**
   * Fixes a value for the whole run: the first one given under this name in this scope stands, in later generations,
   * other processes and forks too. Answers the value that stands.
   */
  pin<T>(name: string, value: T): T;
  /** Hands `state` to a fresh journal generation, where the agent starts again with it as input. */
  continueWith<S>(state: S): never;
}
