import type { EffectKind } from '../../../core/effect-kind.js';
import type { Outcome } from '../../../core/outcome.js';
import type { Observed, SeamContext } from '../../../core/seams.js';
import type { TrifectaLeg } from '../../../core/tool.js';

/**
 * Four crossings: text in, call out, result in, answer out. Each has a guard type of its own, so that a guard written
 * for one cannot be put at another by mistake. Guards get frozen values: they judge, and change nothing by themselves.
 */
export type GuardPoint = 'input' | 'preCall' | 'response' | 'output';

/** What a guard says: under which rule, and on what grounds. Evidence is kept and shown, so it must not quote a secret. */
export interface GuardResult<V extends string> {
  readonly verdict: V;
  readonly ruleId: string;
  readonly evidence: string;
}

type Answer<V extends string> = GuardResult<V> | Promise<GuardResult<V>>;

/** Takes out of a text what the verdict `redact` is about. */
interface Redacting {
  redact?(text: string): string;
}

/** A guard that checks input before it is journaled. */
export interface InputGuard extends Redacting {
  readonly at: 'input';
  readonly name: string;
  /** A broken guard blocks, unless somebody answers with their name for letting the input pass. */
  readonly whenBroken?: 'block' | { readonly passOwner: string };
  check(input: unknown, ctx: SeamContext): Answer<'pass' | 'redact' | 'block'>;
}

/** A call without the means to make it. */
export interface GuardedCall {
  readonly tool: string;
  readonly class: EffectKind;
  readonly legs: readonly TrifectaLeg[];
  readonly args: unknown;
}

/** A guard that checks a tool call before it is made. */
export interface PreCallGuard {
  readonly at: 'preCall';
  readonly name: string;
  check(call: GuardedCall, ctx: SeamContext): Answer<'allow' | 'deny' | 'ask'>;
}

/** A result; or a failure (`failed`), whose words are `text` and whose detail and own code are in `value`. */
export interface GuardedResponse extends GuardedCall, Observed {
  readonly failed?: true;
}

/** A guard that checks the result of a tool call. */
export interface ResponseGuard extends Redacting {
  readonly at: 'response';
  readonly name: string;
  check(response: GuardedResponse, ctx: SeamContext): Answer<'pass' | 'redact' | 'block'>;
}

/** A guard that checks the outcome of a run. */
export interface OutputGuard extends Redacting {
  readonly at: 'output';
  readonly name: string;
  check(outcome: Outcome<unknown>, ctx: SeamContext): Answer<'release' | 'redact' | 'block'>;
}

/** The type of guard for each place. */
export interface GuardAt {
  readonly input: InputGuard;
  readonly preCall: PreCallGuard;
  readonly response: ResponseGuard;
  readonly output: OutputGuard;
}

/** Guards by place. */
export type GuardSlots = { readonly [P in GuardPoint]?: readonly GuardAt[P][] };
