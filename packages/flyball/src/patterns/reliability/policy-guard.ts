import { useFrom } from '../../core/about.js';
import type { ToolSeams } from '../../core/seams.js';
import { type Described, described } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import type { Clock } from '../../ports/clock.js';
import { judgeCall } from '../../tools/governance/governance.js';
import { judgingCalls } from '../../tools/governance/judged-call.js';
import type { Policy } from '../../tools/governance/policy/policy.js';
import { type PolicySource, policyCheck } from '../../tools/governance/policy/policy-check.js';

/** Options of `policyGuard`. */
export interface PolicyGuardOptions {
  /** When a waiver ends is a matter of time: `systemClock()`, or the clock of a test. */
  readonly clock: Pick<Clock, 'now'>;
  /** Which part this agent plays, for rules with the condition `role`: the planner may do less than a worker. */
  readonly role?: string;
}

/**
 * Holds every call to a written policy.
 *
 * Model calls: none. Every tool call and every step that acts is decided by code: deny wins over allow, obligations come
 * first, and what no rule names is denied unless it is pure and stays inside. No word of the policy reaches a model. Each
 * decision is in the journal with its rule and the version of the policy. For all agents of a host use
 * `governance({ policy })`. Not for fewer than some twenty rules that never change: a guard in code is shorter.
 *
 * @pattern V7
 * @example
 * ```ts
 * const rules = policyGuard(parsePolicy(file, { now }), { clock: systemClock(), role: 'worker' });
 * const worker: Agent<string, Answer> = (run, input) => clerk(run.guarded(rules), input);
 * ```
 */
export function policyGuard(policy: Policy | PolicySource, { clock, role }: PolicyGuardOptions): Described<ToolSeams> {
  checkGiven('policyGuard (V7)', { policy, clock });
  const check = policyCheck({ policy, clock, levelOf: 'autonomous', ...(role === undefined ? {} : { role }) });
  const guard = judgingCalls((call, ctx) => judgeCall([check], call, ctx));
  const use = useFrom({
    id: 'V7',
    name: 'policyGuard',
    params: { policy: 'label' in policy ? policy.label : 'from a source', ...(role === undefined ? {} : { role }) },
    parts: {},
    calls: 0,
    provides: ['V14'],
  });
  return described({ 'tool.pre': [guard], 'step.pre': [guard] }, use);
}
