import type { Plan, PlanStep, StepStatus } from './plan.js';

/**
 * A goal and how it can be reached. `and` needs all of its children; `or` one of them, and tries them in their order
 * beginning with `choice`. A leaf is a step; a step may depend on other leaves or, by its id, on a whole goal, whichever
 * way that is reached. The same step may serve in several places and is carried out once.
 */
export type GoalTree =
  | {
      readonly kind: 'and';
      readonly id: string;
      readonly goal: string;
      readonly children: readonly GoalTree[];
      /** Each child waits for the one before it. */
      readonly inOrder?: boolean;
    }
  | {
      readonly kind: 'or';
      readonly id: string;
      readonly goal: string;
      readonly children: readonly GoalTree[];
      /** The alternative that is being tried; the first where it is left out. */
      readonly choice?: number;
    }
  | { readonly kind: 'leaf'; readonly step: PlanStep };

/** Whether a goal is reached, failed or open. */
export type GoalState = 'done' | 'failed' | 'open';
type Statuses = Readonly<Record<string, StepStatus>>;

/** All of an `and`, any of an `or`. A step that will not be carried out any more counts as failed. */
export function goalState(tree: GoalTree, statuses: Statuses): GoalState {
  if (tree.kind === 'leaf') return leafState(statusOf(statuses, tree.step.id));
  const states = tree.children.map((child) => goalState(child, statuses));
  const [settling, needed]: readonly [GoalState, GoalState] =
    tree.kind === 'and' ? ['failed', 'done'] : ['done', 'failed'];
  if (states.includes(settling)) return settling;
  return states.every((state) => state === needed) ? needed : 'open';
}

function leafState(status: StepStatus): GoalState {
  if (status === 'done') return 'done';
  return status === 'failed' || status === 'cancelled' || status === 'skipped' ? 'failed' : 'open';
}

function statusOf(statuses: Statuses, id: string): StepStatus {
  return (Object.hasOwn(statuses, id) ? statuses[id] : undefined) ?? 'pending';
}

/**
 * The steps of the alternatives that are being tried, as a partial order. An alternative that is reached already is
 * taken instead of the current one, and what was done for one that was given up stays in, so that it is never repeated.
 */
export function planFromGoals(tree: GoalTree, statuses: Statuses): Plan {
  const chosen = new Map(current(tree, statuses).map((step) => [step.id, step]));
  const isDone = (step: PlanStep) => statusOf(statuses, step.id) === 'done';
  const taken = new Map(
    leaves(tree)
      .filter((step) => chosen.has(step.id) || isDone(step))
      .map((step) => [step.id, step]),
  );
  const goals = new Map(
    inner(tree).map((node) => [
      node.id,
      leaves(node)
        .map(({ id }) => id)
        .filter((id) => taken.has(id)),
    ]),
  );
  const waits = sequence(tree, new Set(taken.keys()));
  const steps = [...taken.values()].map((step) => {
    const named = step.dependsOn.flatMap((id) => (taken.has(id) ? [id] : (goals.get(id) ?? [id])));
    const before = new Set([...named, ...(waits.get(step.id) ?? [])]);
    before.delete(step.id);
    return { ...step, dependsOn: [...before] };
  });
  return { goal: tree.kind === 'leaf' ? tree.step.description : tree.goal, shape: 'partial', steps };
}

function current(tree: GoalTree, statuses: Statuses): readonly PlanStep[] {
  if (tree.kind === 'leaf') return [tree.step];
  if (tree.kind === 'and') return tree.children.flatMap((child) => current(child, statuses));
  const reached = tree.children.find((child) => goalState(child, statuses) === 'done');
  const child = reached ?? tree.children[tree.choice ?? 0];
  return child === undefined ? [] : current(child, statuses);
}

function leaves(tree: GoalTree): readonly PlanStep[] {
  return tree.kind === 'leaf' ? [tree.step] : tree.children.flatMap(leaves);
}

function inner(tree: GoalTree): readonly Exclude<GoalTree, { kind: 'leaf' }>[] {
  return tree.kind === 'leaf' ? [] : [tree, ...tree.children.flatMap(inner)];
}

/** For each step, the steps of the children before its own in a goal whose children go in order. */
function sequence(tree: GoalTree, taken: ReadonlySet<string>): ReadonlyMap<string, readonly string[]> {
  const waits = new Map<string, readonly string[]>();
  for (const node of inner(tree)) {
    if (node.kind !== 'and' || node.inOrder !== true) continue;
    const done: string[] = [];
    for (const child of node.children) {
      const ids = leaves(child)
        .map(({ id }) => id)
        .filter((id) => taken.has(id) && !done.includes(id));
      for (const id of ids) waits.set(id, [...(waits.get(id) ?? []), ...done]);
      done.push(...ids);
    }
  }
  return waits;
}

/**
 * The tree with the next alternatives chosen so that no step that failed is needed any more, or undefined when none is
 * left. The smallest change wins: an inner `or` is switched before an outer one, and nothing else is touched. Pass all
 * the steps that failed so far, since a later alternative may need an earlier failure.
 */
export function switchAlternative(tree: GoalTree, failed: string | readonly string[]): GoalTree | undefined {
  return without(tree, new Set(typeof failed === 'string' ? [failed] : failed));
}

function without(tree: GoalTree, failed: ReadonlySet<string>): GoalTree | undefined {
  if (tree.kind === 'leaf') return failed.has(tree.step.id) ? undefined : tree;
  if (tree.kind === 'and') {
    const children = tree.children.map((child) => without(child, failed));
    return children.includes(undefined)
      ? undefined
      : { ...tree, children: children.filter((child) => child !== undefined) };
  }
  for (let choice = tree.choice ?? 0; choice < tree.children.length; choice++) {
    const child = tree.children[choice];
    const mended = child === undefined ? undefined : without(child, failed);
    if (mended !== undefined) return { ...tree, choice, children: tree.children.with(choice, mended) };
  }
  return undefined;
}
