import { askUntil, type Read } from '../../core/ask-until.js';
import { FlyballError } from '../../core/errors.js';
import type { Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Reply, Session } from '../../core/session.js';
import { parsePlan } from '../../plans/index.js';
import { shownIssues } from '../../plans/issues.js';
import type { Plan, PlanIssue } from '../../plans/plan.js';

/** A plan as it was written, and the conversation up to it. */
export interface WrittenPlan {
  readonly plan: Plan;
  readonly prompt: Prompt;
}

/** Asks until a reply is a plan. One that is still none after the last re-ask is REPLY_INVALID. */
export async function askForPlan(run: Run, session: Session, first: Prompt, maxReasks?: number): Promise<WrittenPlan> {
  const read = ({ text }: Reply<string>): Read<Plan> => {
    const parsed = parsePlan(text);
    return parsed.ok ? { ok: true, value: parsed.plan } : parsed;
  };
  const asked = await askUntil(run, session, first, read, maxReasks);
  if (!asked.ok) throw asked.error;
  return { plan: asked.value, prompt: asked.reply.prompt };
}

/** Every reason for which no plan is carried out, with the issues for programs. */
export function notAccepted(why: string, issues: readonly PlanIssue[]): FlyballError {
  const shown = shownIssues(issues);
  const found = shown.map(({ message }) => message).join(' ');
  return new FlyballError('PLAN_INVALID', `There is no plan to carry out: ${why}${found === '' ? '' : ` ${found}`}`, {
    detail: { issues: [...shown] },
  });
}
