import { causalLinks } from './causal-links.js';
import { orderOf } from './graph.js';
import type { Plan, PlanIssue } from './plan.js';

/**
 * What a re-planning turn may change, and what it has to give back word for word. A step that is mended keeps its id,
 * so that whoever depends on it can stay as it is; only what is pruned takes along all that needs it.
 */
export function targetsOf(
  plan: Plan,
  issues: readonly PlanIssue[],
): { readonly change: readonly string[]; readonly keep: readonly string[] } {
  const { before } = orderOf(needsOnly(plan));
  const affected = new Set(issues.flatMap(({ steps }) => steps));
  const pruned = issues.filter(({ action }) => action === 'prune-low-priority').flatMap(({ steps }) => steps);
  const isChanged = (id: string) => affected.has(id) || pruned.some((gone) => before.get(id)?.has(gone) === true);
  const ids = plan.steps.map(({ id }) => id);
  return { change: ids.filter(isChanged), keep: ids.filter((id) => !isChanged(id)) };
}

/** The plan with the orders alone that come from one step needing another: to run later is no reason to change. */
function needsOnly(plan: Plan): Plan {
  const steps = plan.steps.map((step) => {
    const read = Object.values(step.bindings).flatMap((binding) => ('from' in binding ? [binding.from] : []));
    return { ...step, dependsOn: [...step.dependsOn, ...read] };
  });
  return { ...plan, shape: 'partial', steps, links: causalLinks(plan), orderings: [] };
}
