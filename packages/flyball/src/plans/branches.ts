import { inNumbers } from './graph.js';
import type { Branch, Plan } from './plan.js';
import { topological } from './reach.js';

/** Every branch point doubles what a plan can become, so both their nesting and their number are bounded. */
export const MAX_BRANCH_DEPTH = 4;
/** How many branches a plan can have. */
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
  const outline = outlineOf(plan);
  const gone = withHanging(outline, flags(outline, [...skipped, ...(holds ? branch.ifNot : branch.ifSo)]));
  return outline.ids.filter((_, at) => gone[at] === 1);
}

/** What decides about which step, in numbers: 256 ways through the branches are told apart over it. */
interface Outline {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Dependencies; undefined where a step has none, or one that is not there and so is never skipped. */
  readonly needs: readonly (readonly number[] | undefined)[];
  /** The steps that decide whether this one runs. */
  readonly deciders: readonly (readonly number[])[];
  readonly order: readonly number[];
}

function outlineOf(plan: Plan): Outline {
  const { ids, indexOf, waitsFor } = inNumbers(plan);
  const deciders = ids.map((): number[] => []);
  for (const { at, ifSo, ifNot } of plan.branches ?? []) {
    const decider = indexOf.get(at);
    if (decider === undefined) continue;
    for (const id of new Set([...ifSo, ...ifNot])) deciders[indexOf.get(id) ?? -1]?.push(decider);
  }
  const dependsOn = new Map(plan.steps.map((step) => [step.id, step.dependsOn]));
  const needs = ids.map((id) => {
    const named = dependsOn.get(id) ?? [];
    const known = named.flatMap((other) => indexOf.get(other) ?? []);
    return named.length === 0 || known.length < named.length ? undefined : known;
  });
  const order = topological(waitsFor);
  const rest = [...ids.keys()].filter((at) => !order.includes(at)); // of a cycle
  return { ids, indexOf, needs, deciders, order: [...order, ...rest] };
}

function flags({ ids, indexOf }: Outline, named: readonly string[]): Uint8Array {
  const row = new Uint8Array(ids.length);
  for (const id of named) {
    const at = indexOf.get(id);
    if (at !== undefined) row[at] = 1;
  }
  return row;
}

/**
 * A step hangs on skipped ones when all it depends on is skipped, or when the step that would have decided about it is.
 * Only dependencies count: being next in an ordered plan, or behind an ordering, makes nobody need anybody.
 */
function withHanging({ order, needs, deciders }: Outline, skipped: Uint8Array): Uint8Array {
  const gone = skipped.slice();
  const isGone = (at: number) => gone[at] === 1;
  for (let hasGrown = true; hasGrown; ) {
    hasGrown = false;
    for (const at of order) {
      if (gone[at] === 1) continue;
      if (deciders[at]?.some(isGone) !== true && needs[at]?.every(isGone) !== true) continue;
      gone[at] = 1;
      hasGrown = true;
    }
  }
  return gone;
}

/** How deep branches are nested: 0 without any, 1 for branches that follow each other. */
export function branchDepth(plan: Plan): number {
  const branches = plan.branches ?? [];
  if (branches.length === 0) return 0;
  const outline = outlineOf(plan);
  const inside = branches.map(({ ifSo, ifNot }) =>
    [ifSo, ifNot].map((side) => withHanging(outline, flags(outline, side))),
  );
  const lies = (at: string, index: number) => {
    const step = outline.indexOf.get(at) ?? -1;
    return inside[index]?.some((gone) => gone[step] === 1) === true;
  };
  const known = new Map<number, number>();
  const depthOf = (index: number): number => {
    const before = known.get(index);
    if (before !== undefined) return before;
    known.set(index, 1); // two branches that lie in each other are a cycle, and no reason never to return
    const at = branches[index]?.at ?? '';
    const around = [...branches.keys()].filter((other) => other !== index && lies(at, other));
    const depth = 1 + Math.max(0, ...around.map(depthOf));
    known.set(index, depth);
    return depth;
  };
  return Math.max(0, ...[...branches.keys()].map(depthOf));
}

/** Sets of steps that can run together, one for each way the observations may turn out: 1 in a row is in. */
export interface Ways {
  readonly ids: readonly string[];
  readonly rows: readonly Uint8Array[];
}

/** Past MAX_BRANCHES the rest is left undecided, with both sides in: the plan is refused anyway. */
export function waysThrough(plan: Plan): Ways {
  const outline = outlineOf(plan);
  const { ids, indexOf, order } = outline;
  const position = new Map(order.map((at, index) => [ids[at], index]));
  const outerFirst = [...(plan.branches ?? [])]
    .sort((a, b) => (position.get(a.at) ?? 0) - (position.get(b.at) ?? 0))
    .slice(0, MAX_BRANCHES);
  let gone: readonly Uint8Array[] = [new Uint8Array(ids.length)];
  for (const { at, ifSo, ifNot } of outerFirst) {
    const sides = [ifNot, ifSo].map((side) => flags(outline, side)); // taking one side skips the other
    const decider = indexOf.get(at) ?? -1;
    const next = gone.flatMap((skipped) =>
      skipped[decider] === 1
        ? [skipped]
        : sides.map((side) =>
            withHanging(
              outline,
              skipped.map((is, step) => (is === 1 || side[step] === 1 ? 1 : 0)),
            ),
          ),
    );
    gone = [...new Map(next.map((row) => [row.join(''), row])).values()];
  }
  return { ids, rows: gone.map((row) => row.map((is) => 1 - is)) };
}

/** The same as sets of ids. */
export function worlds(plan: Plan): readonly ReadonlySet<string>[] {
  const { ids, rows } = waysThrough(plan);
  return rows.map((row) => new Set(ids.filter((_, at) => row[at] === 1)));
}
