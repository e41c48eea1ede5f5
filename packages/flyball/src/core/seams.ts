import type { ApprovalRules } from './approval.js';
import type { Amounts, Budget } from './budget.js';
import type { GuardDecision } from './events.js';
import type { ModelReply, ModelRequest } from './model.js';
import type { Outcome } from './outcome.js';
import type { ToolRef } from './tool.js';

/**
 * Named places that no call can go around. Middleware is `(next) => (value, ctx) => …`, run in the order given:
 * the first one sees the value first and the result last. Seams inside an effect run once, live; their result is
 * journaled, so a replay never asks a guard again.
 */
export interface SeamContext {
  readonly runId: string;
  readonly tenant: string;
  readonly subject: string;
  /** Scope or effect the value belongs to. */
  readonly at: string;
}

/** What a guard knows about the run, in addition to the value it checks. */
export interface GuardContext extends SeamContext {
  /** Tools called so far, and how often: read off the journal, so that a resumed run has not forgotten any. */
  readonly calledTools: Readonly<Record<string, number>>;
  /** Tools that were tried, failed calls and those under way included: what they say, the run may have read. */
  readonly triedTools: readonly string[];
  /**
   * The run's budget owns every counter; a guard decides over them and keeps none of its own. `before`: of a fork, what
   * was spent up to its point, which is not on its bill.
   */
  readonly budget: { readonly limits: Budget; readonly spent: Amounts; readonly before: Amounts };
  /** Puts a decision into the journal as an event of its own. */
  decide(decision: GuardDecision): void;
}

export type Step<V, R, C extends SeamContext = SeamContext> = (value: V, ctx: C) => Promise<R>;
/** A function that wraps a step of a seam. */
export type Middleware<V, R, C extends SeamContext = SeamContext> = (next: Step<V, R, C>) => Step<V, R, C>;

/** The decision of a guard. `approval` means that a person must agree first, whatever the effect class of the tool. */
export type ToolVerdict =
  | {
      readonly allow: true;
      readonly args: unknown;
      readonly approval?: string;
      /** Stricter rules than those of the tool: more people, other scopes, a deadline. */
      readonly approvalRules?: Partial<ApprovalRules>;
      /** With `approval`: arguments that the guard recommends, which the person can accept as they are. */
      readonly recommended?: unknown;
    }
  | { readonly allow: false; readonly why: string };

/** The result of a tool: the value for the code, and the text for the model. */
export interface Observed {
  readonly value: unknown;
  readonly text: string;
}

export interface SeamTypes {
  /** Around the agent function. Runs again on replay: it must be as deterministic as the agent. */
  run: { value: unknown; result: Outcome<unknown> };
  /** The run's input, before it is journaled. */
  input: { value: unknown; result: unknown };
  model: { value: ModelRequest; result: ModelReply };
  'tools.load': { value: readonly ToolRef[]; result: readonly ToolRef[] };
  /** Before INTENT: allow, change the arguments, or refuse. */
  'tool.pre': { value: { readonly tool: ToolRef; readonly args: unknown }; result: ToolVerdict };
  /** Before a step that acts: allow, have a person agree, or refuse. Its input stays what the code says. */
  'step.pre': { value: { readonly tool: ToolRef; readonly args: unknown }; result: ToolVerdict };
  'tool.exec': { value: { readonly tool: ToolRef; readonly args: unknown; readonly key: string }; result: unknown };
  'tool.post': {
    value: { readonly tool: ToolRef; readonly args: unknown; readonly value: unknown; readonly text: string };
    result: Observed;
  };
  /** What a wait or an approval shows to the other side. */
  outbound: { value: { readonly name: string; readonly request: unknown }; result: unknown };
  'state.write': {
    value: { readonly collection: string; readonly key: string; readonly value: unknown };
    result: unknown;
  };
  handoff: { value: { readonly agent: string; readonly input: unknown }; result: unknown };
  output: { value: Outcome<unknown>; result: Outcome<unknown> };
}

/** Judges an action, whether it is a tool call or a step. */
export type ActionGuard = Middleware<SeamTypes['tool.pre']['value'], ToolVerdict, GuardContext>;

/** The name of a seam. */
export type SeamName = keyof SeamTypes;
/** Seams around work inside a run get a guard's context, the others only who and where. */
export type ContextOf<S extends SeamName> = S extends
  | 'model'
  | 'tools.load'
  | 'tool.pre'
  | 'step.pre'
  | 'tool.exec'
  | 'tool.post'
  | 'output'
  ? GuardContext
  : SeamContext;
/** A step that middleware of a seam can wrap. */
export type SeamStep<S extends SeamName> = Step<SeamTypes[S]['value'], SeamTypes[S]['result'], ContextOf<S>>;
/** Middleware for one seam. */
export type SeamMiddleware<S extends SeamName> = (next: SeamStep<S>) => SeamStep<S>;
/** Middleware by seam. */
export type Seams = { readonly [S in SeamName]?: readonly SeamMiddleware<S>[] };
/** Guards of an agent for its tool calls and steps. They run after those of the runtime. */
export type ToolSeams = Pick<Seams, 'tool.pre' | 'step.pre' | 'tool.exec' | 'tool.post'>;
