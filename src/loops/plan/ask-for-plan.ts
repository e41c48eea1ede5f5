import { FlyballError } from '../../core/errors.js';
import { append, type Prompt } from '../../core/prompt.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { parsePlan } from '../../plans/index.js';
import { shownIssues } from '../../plans/issues.js';
import type { Plan, PlanIssue } from '../../plans/plan.js';
import { DEFAULT_REASKS } from './parts.js';
import { unreadableText } from './planner-prompts.js';

/** A plan as it was written, and the conversation up to it. */
export interface WrittenPlan {
  readonly plan: Plan;
  readonly prompt: Prompt;
}

/**
 * Asks until a reply parses, a bounded number of times, each with the problem of the reply before. What is still no plan
 * then never goes further. The same words twice are not asked for a third time: that would only buy them once more.
 */
export async function askForPlan(
  run: Run,
  session: Session,
  first: Prompt,
  maxReasks = DEFAULT_REASKS,
): Promise<WrittenPlan> {
  let tip = first;
  let last: string | undefined;
  for (let asked = 1; ; asked++) {
    const { text, prompt } = await run.ask(session, tip);
    const read = parsePlan(text);
    if (read.ok) return { plan: read.plan, prompt };
    run.note({ kind: 'plan-unreadable', problem: read.problem, asked });
    if (asked > maxReasks || text === last)
      throw notAccepted(
        `after ${asked} replies of ${session.name} there is none that can be read. ${read.problem}`,
        [],
      );
    last = text;
    tip = append(prompt, { role: 'user', content: unreadableText(read.problem), owner: 'plan', trust: 'system' });
  }
}

/** Every reason for which no plan is carried out, with the issues for programs. */
export function notAccepted(why: string, issues: readonly PlanIssue[]): FlyballError {
  const shown = shownIssues(issues);
  const found = shown.map(({ message }) => message).join(' ');
  return new FlyballError('PLAN_INVALID', `There is no plan to carry out: ${why}${found === '' ? '' : ` ${found}`}`, {
    detail: { issues: [...shown] },
  });
}
