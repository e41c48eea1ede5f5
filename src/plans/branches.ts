import { sorted } from './graph.js';
import type { Branch, Plan } from './plan.js';

/** Every branch point doubles what a plan can become, so both their nesting and their number are bounded. */
export const MAX_BRANCH_DEPTH = 4;
export const MAX_BRANCHES = 8;

/**
 * The steps that are skipped once the observation is known: the other side, and whatever hangs only on it. With
 * `skipped`, what earlier branches skipped is taken into account and returned too: a step may hang on several.
 */
export function takeBranch(
  plan: Plan,
  branch: Branch,
  holds: boolean,
  skipped: readonly string[] = [],
): readonly string[] {
  const gone = withHanging(plan, [...skipped, ...(holds ? branch.ifNot : branch.ifSo)]);
  return plan.steps.map(({ id }) => id).filter((id) => gone.has(id));
}

/**
 * A step hangs on skipped ones when all it depends on is skipped, or when the step that would have decided about it is.
 * Only dependencies count: being next in an ordered plan, or behind an ordering, makes nobody need anybody.
 */
function withHanging(plan: Plan, skipped: readonly string[]): ReadonlySet<string> {
  const gone = new Set(skipped);
  const sides = (plan.branches ?? []).map(({ at, ifSo, ifNot }) => ({ at, members: new Set([...ifSo, ...ifNot]) }));
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const { id, dependsOn } of plan.steps) {
      const undecided = sides.some(({ at, members }) => members.has(id) && gone.has(at));
      if (undecided || (dependsOn.length > 0 && dependsOn.every((other) => gone.has(other)))) gone.add(id);
    }
  }
  return gone;
}

/** How deep branches are nested: 0 without any, 1 for branches that follow each other. */
export function branchDepth(plan: Plan): number {
  const branches = plan.branches ?? [];
  const inside = branches.map(
    ({ ifSo, ifNot }) => new Set([ifSo, ifNot].flatMap((side) => [...withHanging(plan, side)])),
  );
  const known = new Map<number, number>();
  const depthOf = (index: number): number => {
    const before = known.get(index);
    if (before !== undefined) return before;
    known.set(index, 1); // two branches that lie in each other are a cycle, and no reason never to return
    const at = branches[index]?.at ?? '';
    const around = [...branches.keys()].filter((other) => other !== index && inside[other]?.has(at) === true);
    const depth = 1 + Math.max(0, ...around.map(depthOf));
    known.set(index, depth);
    return depth;
  };
  return Math.max(0, ...[...branches.keys()].map(depthOf));
}

/**
 * The sets of steps that can run together, one for each way the observations may turn out. Past MAX_BRANCHES the rest
 * is left undecided, with both sides in: the plan is refused anyway.
 */
export function worlds(plan: Plan): readonly ReadonlySet<string>[] {
  const position = new Map(sorted(plan).map(({ id }, index) => [id, index]));
  const outerFirst = [...(plan.branches ?? [])]
    .sort((a, b) => (position.get(a.at) ?? 0) - (position.get(b.at) ?? 0))
    .slice(0, MAX_BRANCHES);
  let gone: readonly (readonly string[])[] = [[]];
  for (const branch of outerFirst)
    gone = gone.flatMap((skipped) =>
      skipped.includes(branch.at) ? [skipped] : [true, false].map((so) => takeBranch(plan, branch, so, skipped)),
    );
  const different = new Map(gone.map((skipped) => [JSON.stringify(skipped), new Set(skipped)]));
  return [...different.values()].map(
    (skipped) => new Set(plan.steps.map(({ id }) => id).filter((id) => !skipped.has(id))),
  );
}
