import { changedFields, same } from './changes.js';
import { directDependencies } from './graph.js';
import type { Plan, PlanStep } from './plan.js';

/**
 * What is wrong with a revised plan as a revision, or undefined. Steps that are `done` stay as they were, since they are
 * not carried out again; the step that failed comes back changed in what it does or in what goes before it, or not at
 * all. The ids a targeted re-planning has to keep can be passed as `done` too.
 */
export function reviseProblem(before: Plan, after: Plan, done: readonly string[], failed?: string): string | undefined {
  const old = new Map(before.steps.map((step) => [step.id, step]));
  const wanted = new Map(after.steps.map((step) => [step.id, step]));
  for (const id of done) {
    const earlier = old.get(id);
    const step = wanted.get(id);
    if (earlier === undefined) continue;
    if (step === undefined) return `Step ${id} is to be kept, but the new plan lacks it. Put it back as it was.`;
    const fields = Object.keys(changedFields(earlier, step));
    if (fields.length > 0)
      return `Step ${id} is to be kept, but its ${fields.join(', ')} changed. Put it back as it was.`;
  }
  const failure = failed === undefined ? undefined : old.get(failed);
  if (failure === undefined) return undefined;
  const [direct, then] = [directDependencies(before), directDependencies(after)];
  const what = substance(direct, failure);
  const again = after.steps.find((step) => same(what, substance(then, step)));
  if (again === undefined) return undefined;
  return `Step ${failure.id} failed and comes back unchanged as ${again.id}. Do it in another way, or prepare it by another step.`;
}

/** What a step does and rests on. A new name, priority or estimate makes no other step of it. */
function substance(direct: ReturnType<typeof directDependencies>, step: PlanStep): unknown {
  const { id, description, priority, estimatedTokens, estimatedMs, dependsOn, ...rest } = step;
  const words = description.toLowerCase().split(/\s+/).join(' ');
  return { ...rest, words, before: [...(direct.get(id) ?? [])].sort() };
}
