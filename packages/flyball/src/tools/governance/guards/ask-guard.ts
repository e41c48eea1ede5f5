import { failureOf } from '../../../core/errors.js';
import type { GuardDecision } from '../../../core/events.js';
import type { SeamContext } from '../../../core/seams.js';
import { frozenCopy } from '../deep-freeze.js';
import type { GuardResult } from './guard-points.js';

/** What a guard said about a value, or that it broke; `value` is what goes on, without what was redacted. */
export interface Judged<V extends string, X> {
  readonly verdict: V | 'broken';
  readonly guard: string;
  readonly ruleId: string;
  readonly evidence: string;
  readonly value: X;
}

interface AnyGuard<V extends string, X> {
  readonly name: string;
  check(value: X, ctx: SeamContext): GuardResult<V> | Promise<GuardResult<V>>;
  redact?(text: string): string;
}

/** How a point is asked: which verdicts it knows, and how its values are redacted. */
export interface Asking<V extends string, X> {
  readonly verdicts: readonly V[];
  redact?(value: X, change: (text: string) => string): X;
}

export async function askGuard<V extends string, X>(
  guard: AnyGuard<V, X>,
  how: Asking<V, X>,
  value: X,
  ctx: SeamContext,
): Promise<Judged<V, X>> {
  const broken = (evidence: string): Judged<V, X> => ({
    verdict: 'broken',
    guard: guard.name,
    ruleId: `${guard.name}.broken`,
    evidence,
    value,
  });
  try {
    const { runId, tenant, subject, at } = ctx; // a guard gets to know who and where, and no way to act
    const { verdict, ruleId, evidence } = await guard.check(frozenCopy(value), { runId, tenant, subject, at });
    if (!how.verdicts.includes(verdict))
      return broken(`It answered "${String(verdict)}", which is not a valid verdict here.`);
    const said = { verdict, guard: guard.name, ruleId, evidence };
    if (verdict !== 'redact') return { ...said, value };
    if (guard.redact === undefined || how.redact === undefined) return broken('It wants to redact and cannot.');
    return { ...said, value: how.redact(value, (text) => guard.redact?.(text) ?? '') };
  } catch (error) {
    return broken(`It failed: ${failureOf(error).message}`);
  }
}

export function decisionOf(judged: Judged<string, unknown>, verdict: GuardDecision['verdict']): GuardDecision {
  return { guard: judged.guard, verdict, rule: judged.ruleId, why: judged.evidence };
}

/** What whoever is refused may read. Why a guard broke is the operator's to know. */
export function reasonOf({ verdict, guard, evidence }: Judged<string, unknown>): string {
  return verdict === 'broken'
    ? `The guard ${guard} could not judge it, so it is not let through.`
    : `${guard}: ${evidence}`;
}
