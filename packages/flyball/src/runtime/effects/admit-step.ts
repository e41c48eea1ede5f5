import { FlyballError, failureOf } from '../../core/errors.js';
import { through } from '../../core/join-seams.js';
import type { Seams, ToolVerdict } from '../../core/seams.js';
import type { EffectClass, ToolRef } from '../../core/tool.js';
import type { Attempt } from '../attempt.js';
import type { Pending } from '../open-effects.js';
import { type Act, recordFailure } from './act.js';
import { type Admitted, admittedBefore } from './admit.js';

/**
 * A step that acts passes the guards of actions before its INTENT, as a tool call does. Its input is what the code says
 * it is, so a guard cannot change it. Undefined when a refusal is already recorded.
 */
export function admitStep(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  effectClass: EffectClass<never>,
  seams: Seams,
): Act | Promise<Act | undefined> {
  if (act.class === 'pure' || act.rules.records === true || seams['step.pre'] === undefined) return act;
  const before = admittedBefore(attempt, pending.id);
  if (before !== undefined) return guarded(act, before);
  return attempt.guards.inTurn(() => judge(attempt, pending, act, effectClass, seams));
}

async function judge(
  attempt: Attempt,
  pending: Pending,
  act: Act,
  effectClass: EffectClass<never>,
  seams: Seams,
): Promise<Act | undefined> {
  const tool = asTool(act.name, effectClass);
  const guard = through(seams, 'step.pre', async ({ args }) => ({ allow: true, args }) as const);
  const ask = async (): Promise<ToolVerdict> => guard({ tool, args: act.input }, attempt.guards.context(pending.id));
  const verdict = await ask().catch(
    // a guard that breaks must not let the step through
    (error: unknown): ToolVerdict => ({ allow: false, why: `the check failed: ${failureOf(error).message}` }),
  );
  if (verdict.allow) return guarded(act, verdict);
  if (pending.closedBy !== undefined) attempt.effects.drop(pending);
  else {
    attempt.journal.push({ type: 'guard-refused', id: pending.id, seam: 'step.pre', why: verdict.why });
    recordFailure(attempt, pending, act, new FlyballError('DENIED', verdict.why));
  }
  return undefined;
}

function guarded(act: Act, { approval, approvalRules }: Admitted): Act {
  return {
    ...act,
    guarded: true,
    ...(approval === undefined ? {} : { approval }),
    ...(approvalRules === undefined ? {} : { approvalRules }),
  };
}

/** A step as guards see it: they judge its name, its effect class and its input. */
function asTool(name: string, effect: EffectClass<never>): ToolRef {
  const execute = (): never => {
    throw new FlyballError('DENIED', `${name} is a step: only the run makes it.`);
  };
  return { name, description: `The step ${name} of the agent's own code.`, effect, execute };
}
