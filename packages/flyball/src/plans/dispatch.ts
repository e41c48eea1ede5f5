import { countBehind, orderOf } from './graph.js';
import type { Plan, PlanStep, StepStatus } from './plan.js';

/**
 * The steps to start now, at most `slots` of them: the free places, not the width. Everything before them is done or
 * was skipped; higher priority first, then those that more steps wait for, then the order of the plan. A step without a
 * status is pending. After a step that decides a branch, record what it skips before asking again.
 */
export function readySteps(
  plan: Plan,
  statuses: Readonly<Record<string, StepStatus>>,
  slots: number,
): readonly PlanStep[] {
  if (!(slots >= 1)) return [];
  const order = orderOf(plan);
  // own members only: a step may be called `constructor`
  const statusOf = (id: string) => (Object.hasOwn(statuses, id) ? statuses[id] : undefined) ?? 'pending';
  const settled = (id: string) => statusOf(id) === 'done' || statusOf(id) === 'skipped';
  return plan.steps
    .filter(({ id }) => statusOf(id) === 'pending' && [...(order.direct.get(id) ?? [])].every(settled))
    .map((step) => ({ step, behind: countBehind(order, step.id) }))
    .sort((a, b) => b.step.priority - a.step.priority || b.behind - a.behind)
    .slice(0, Math.floor(slots))
    .map(({ step }) => step);
}
