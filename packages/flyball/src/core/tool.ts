import type { ApprovalRules, Review } from './approval.js';
import type { Amounts } from './budget.js';
import type { ChildSlice } from './child-slice.js';
import type { Failure } from './errors.js';
import type { Outcome } from './outcome.js';
import type { Content, MessagePart } from './parts.js';
import type { Question } from './question.js';
import type { JsonSchema, StandardSchema } from './schema.js';

/** The context of a running effect. `key` is the same for all attempts of the effect. */
export interface EffectContext {
  readonly key: string;
  readonly signal: AbortSignal;
  /**
   * Rises whenever the run changes hands. A resource that keeps the highest it has seen, and refuses lower ones, is safe
   * from a process that lost the run without noticing. Absent where a tool is called outside of a run.
   */
  readonly fence?: number;
}

/** The answer of a `verify`: whether the effect with this key took place. */
export type Verification<T> =
  | { readonly happened: 'yes'; readonly result: T }
  | { readonly happened: 'no' }
  | { readonly happened: 'unknown' };

// methods rather than function properties: their bivariance lets any concrete tool stand where a ToolRef is asked for
/** How to verify, undo and simulate an effect, and how long it may take. */
export interface EffectRules<A, T> {
  /** The effect is aborted after this time. A doubt about it is not examined earlier. */
  readonly timeoutMs?: number;
  /** Finds out whether the effect with this key happened. */
  verify?(input: A, how: EffectContext): Promise<Verification<T>>;
  /** Ensures the state before the effect ("the file does not exist"), so that it is safe to run twice. */
  compensate?(input: A, result: T, how: EffectContext): Promise<void>;
  /** Replaces the effect in a fork that is not live. */
  simulate?(input: A): T;
  /**
   * A step that changes only records that Flyball keeps for the run (memory, a ledger) is no action: guards of actions
   * let it pass. What is written passes `state.write`.
   */
  readonly records?: true;
}

/** Whether an effect can be repeated or undone, with the functions to do so. */
export type EffectClass<A = unknown, T = unknown> =
  | 'pure'
  | 'idempotent'
  | { readonly class: 'pure'; readonly timeoutMs?: number }
  | ({ readonly class: 'idempotent' } & EffectRules<A, T>)
  | ({ readonly class: 'undoable' } & EffectRules<A, T> & Required<Pick<EffectRules<A, T>, 'compensate'>>)
  | ({ readonly class: 'irreversible'; readonly why?: string } & Omit<EffectRules<A, T>, 'compensate'>);

/** What a call is about to touch, so that rules about commands, paths and addresses hold for every tool that declares it. */
export interface Touch {
  readonly reads?: readonly string[];
  readonly writes?: readonly { readonly path: string; readonly lines?: number }[];
  /** Command lines, or argument vectors. */
  readonly commands?: readonly (string | readonly string[])[];
  readonly urls?: readonly string[];
}

/** The three legs whose union lets injected text carry private data out. */
export type TrifectaLeg = 'private-data' | 'untrusted-content' | 'outbound';

/** How often and how patiently a call is made. Only pure and idempotent effects are ever made again by themselves. */
export interface InvocationPolicy {
  /** Tries after the first one. */
  readonly retries: number;
  /** The wait before retry r: min(maxDelayMs, baseDelayMs · 2^r + U(0, jitterMs)). */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitterMs: number;
  readonly breaker: BreakerPolicy;
}

/** After `failures` in a row nothing is tried for `openMs`; then one trial call decides. */
export interface BreakerPolicy {
  readonly failures: number;
  readonly openMs: number;
}

/** An agent that does the work of a tool call, as a child of the run that calls. */
export interface Delegation<O = unknown> {
  readonly agent: DelegateAgent<O>;
  readonly input: unknown;
  /** Its own part of the budget. The end of it is a result of the call, not the end of the caller. */
  readonly slice: ChildSlice;
  /**
   * A last turn, where its budget ended first: who hands back what there is. Given how it ended, with the partial value
   * and what took place. It has a budget of its own.
   */
  handBack?(ended: Outcome<O> & { readonly stop: 'bounded' }): Omit<Delegation<O>, 'handBack'>;
}

/** An agent, as far as a tool has to know it: `delegateTo` checks that it fits its input. */
export type DelegateAgent<O = unknown> =
  | ((run: never, input: never) => Promise<Outcome<O>>)
  | { readonly name: string; readonly agent: (run: never, input: never) => Promise<Outcome<O>> };

/** A function that an agent can call. The run checks, journals and executes calls. */
export interface Tool<A = never, T = unknown> {
  readonly name: string;
  readonly description: string;
  readonly effect: EffectClass<A, T>;
  /** Checked before anything else; `execute` gets what the schema returns. */
  readonly input?: StandardSchema;
  readonly inputJsonSchema?: JsonSchema;
  /** The most this call may change. Limits are checked before the call. */
  reserve?(args: A): Partial<Amounts>;
  /** Which parts of the lethal trifecta the tool provides. */
  readonly legs?: readonly TrifectaLeg[];
  /** True if the tool polls: repeated calls with the same result are normal. */
  readonly polls?: boolean;
  /** Scopes that allow a caller to use it; one is enough. `tools:execute` always allows it. */
  readonly scopes?: readonly string[];
  /** Timeout of each attempt; 60 s by default. A timeout in `effect` takes precedence. */
  readonly timeoutMs?: number;
  readonly retry?: Partial<InvocationPolicy>;
  /** Files, commands and URLs that a call with these arguments uses. */
  touches?(args: A): Touch;
  /**
   * Makes it a tool that asks a person: the run is suspended until somebody answers, and the answer is the result.
   * `execute` is not called. Such a tool is `pure`.
   */
  asks?(args: A): Question;
  /**
   * Makes it a tool that another agent works for: the call is governed like any other, then the agent is spawned, and its
   * value is the result. `execute` is not called then. Such a tool is `pure`: what its agent does is judged by itself.
   */
  delegates?(args: A): Delegation<T>;
  /**
   * Makes it a tool that hands over: the result is a package for whoever goes on, and a tool loop ends with it.
   * `execute` is not called then. Such a tool is `pure`.
   */
  transfers?(args: A): T;
  /** For the person who approves a call: what it will do, how to undo it, and alternatives. */
  review?(args: A): Review;
  /** What it is, where others decide that: an approval holds for a tool with the same hash only. */
  readonly hash?: string;
  /** Who has to approve a call, if approval is required. */
  readonly approval?: Partial<ApprovalRules>;
  execute(args: A, how: EffectContext): Promise<T | Changed<T>>;
  /**
   * Turns the result into what the model reads: text, or parts with images, sounds and files. The default is JSON; a
   * result that is a list of parts with one of those is read as it is.
   */
  present?(value: T): Content;
}

/** The result of a tool with what it changed: `return changed(value, { filesChanged: 1, linesChanged: 12 })`. */
export interface Changed<T> {
  readonly $changed: Partial<Amounts>;
  readonly value: T;
}

/** Returns a tool result together with what the call really changed, for the budget. */
export function changed<T>(value: T, amounts: Partial<Amounts>): Changed<T> {
  return { $changed: amounts, value };
}

/** The result of a tool call. A call that failed or was denied is a result too, not an exception. */
export type ToolResult<T = unknown> =
  | {
      readonly ok: true;
      readonly content: string;
      /** What the model reads, where it is more than text: `content` only names the rest. */
      readonly parts?: readonly MessagePart[];
      readonly value: T;
      readonly simulated?: boolean;
    }
  | { readonly ok: false; readonly content: string; readonly failure: Failure };

/** Any tool, whatever its arguments. */
export type ToolRef<T = unknown> = Tool<never, T>;

/** The arguments of a tool, inferred from its schema. Anything, if the type of the tool is unknown. */
export type ArgsFor<R extends ToolRef> = unknown extends TakenBy<R> ? Known<ExecutedWith<R>> : TakenBy<R>;

type TakenBy<R> = R extends { readonly input: StandardSchema<infer I, infer _Made> } ? I : unknown;
type ExecutedWith<R extends ToolRef> = R['execute'] extends (args: infer A, how: EffectContext) => unknown
  ? A
  : unknown;
type Known<A> = [A] extends [never] ? unknown : A;
