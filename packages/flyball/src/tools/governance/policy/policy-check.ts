import { posix } from 'node:path';
import type { GuardDecision } from '../../../core/events.js';
import type { GuardContext } from '../../../core/seams.js';
import type { Clock } from '../../../ports/clock.js';
import { type LevelOf, levelIn } from '../autonomy-level.js';
import type { GuardAnswer, ToolGuard } from '../guard-answer.js';
import type { ProposedCall } from '../proposed-call.js';
import { evaluatePolicy } from './evaluate-policy.js';
import { isOddPath } from './plain-places.js';
import type { Policy, PolicyAction, PolicyDecision } from './policy.js';

/** A policy that can be replaced while runs are active. */
export interface PolicySource {
  /** The one in force now. `problem`: why a newer one is not, for the operator. */
  current(): Promise<{ readonly policy: Policy; readonly problem?: string }>;
}

export interface PolicyCheckOptions {
  readonly policy: Policy | PolicySource;
  readonly clock: Pick<Clock, 'now'>;
  readonly levelOf: LevelOf;
  readonly role?: string;
  /** Where relative paths of tools start. */
  readonly root?: string;
}

const TOLD = { allow: 'allowed', deny: 'denied', ask: 'asked', oblige: 'obliged' } as const satisfies Record<
  PolicyDecision['verdict'],
  GuardDecision['verdict']
>;

/** Every decision is told with its rule and the version that held it, allowed ones too. */
export function policyCheck(options: PolicyCheckOptions): ToolGuard {
  return {
    name: 'policy',
    async check(call, ctx) {
      const { policy, problem } = await current(options.policy);
      const decision = evaluatePolicy(policy, actionOf(call, ctx, options));
      return answer(call.tool.name, decision, policy, problem);
    },
  };
}

async function current(given: Policy | PolicySource): Promise<{ readonly policy: Policy; readonly problem?: string }> {
  return 'current' in given ? given.current() : { policy: given };
}

function actionOf(call: ProposedCall, ctx: GuardContext, options: PolicyCheckOptions): PolicyAction {
  const paths = [...call.touch.reads, ...call.touch.writes.map(({ path }) => path)];
  const { root } = options;
  return {
    tool: call.tool.name,
    args: call.args,
    class: call.class,
    legs: call.legs,
    subject: ctx.subject,
    ...(options.role === undefined ? {} : { role: options.role }),
    tenant: ctx.tenant,
    autonomy: levelIn(options.levelOf, ctx),
    // an odd one stays as it is: resolved it would look like any other
    paths: root === undefined ? paths : paths.map((path) => (isOddPath(path) ? path : posix.resolve(root, path))),
    urls: call.touch.urls,
    calledTools: ctx.calledTools,
    now: options.clock.now(),
  };
}

/** What the model reads is our own sentence: the text of a policy occurs in no prompt. */
function answer(tool: string, decision: PolicyDecision, policy: Policy, problem: string | undefined): GuardAnswer {
  const { verdict, rule, why } = decision;
  const told: GuardDecision[] = [{ guard: 'policy', verdict: TOLD[verdict], why, rule, policy: policy.label }];
  if (problem !== undefined) told.unshift({ guard: 'policy', verdict: 'warned', why: problem, policy: policy.label });
  switch (verdict) {
    case 'allow':
      return { verdict: 'pass', told };
    case 'ask':
      return {
        verdict: 'ask',
        why: `The policy asks for a person (rule ${rule}): ${why}`,
        told,
        ...(decision.approval === undefined ? {} : { rules: decision.approval }),
      };
    case 'deny':
      return {
        verdict: 'refuse',
        why: `${tool} with these arguments is not permitted here. Do not try it in another form: continue without it, or say that it is needed.`,
        told,
      };
    case 'oblige':
      return {
        verdict: 'refuse',
        why: `Call ${decision.firstCall ?? 'what is owed'} first, then ${tool} again.`,
        told,
      };
  }
}
