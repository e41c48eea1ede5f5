import type { Branch, PlanStep } from './plan.js';

/**
 * Dependencies for a conditional plan that is written as a list, one step after the other: every step waits for the
 * steps above it that can run together with it. Steps that others already wait for are left out, but only where the
 * others are sure to run: behind a branch the step before it stays a dependency, so that nobody hangs on a side alone.
 */
export function inListOrder(steps: readonly PlanStep[], branches: readonly Branch[]): readonly PlanStep[] {
  const sides = new Map(steps.map(({ id }) => [id, sidesOf(id, branches)]));
  const above = new Map<string, readonly string[]>();
  return steps.map((step, index) => {
    const own = sides.get(step.id) ?? new Map<number, boolean>();
    const isSure = (id: string) => [...(sides.get(id) ?? [])].every(([branch, side]) => own.get(branch) === side);
    const canMeet = (id: string) =>
      [...(sides.get(id) ?? [])].every(([branch, side]) => (own.get(branch) ?? side) === side);
    const before = steps
      .slice(0, index)
      .map(({ id }) => id)
      .filter(canMeet);
    above.set(step.id, before);
    const implied = new Set(before.filter(isSure).flatMap((id) => above.get(id) ?? []));
    return { ...step, dependsOn: [...new Set([...step.dependsOn, ...before.filter((id) => !implied.has(id))])] };
  });
}

/** For each branch that decides about a step, also from further out, the side on which it runs. */
function sidesOf(id: string, branches: readonly Branch[]): ReadonlyMap<number, boolean> {
  const sides = new Map<number, boolean>();
  const open = [id];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const member = at;
    branches.forEach((branch, index) => {
      const isSo = branch.ifSo.includes(member);
      if (sides.has(index) || (!isSo && !branch.ifNot.includes(member))) return;
      sides.set(index, isSo);
      open.push(branch.at);
    });
  }
  return sides;
}
