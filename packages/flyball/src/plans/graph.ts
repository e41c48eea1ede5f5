import { FlyballError } from '../core/errors.js';
import type { Plan, PlanStep } from './plan.js';
import { type Rows, reachRows, topological } from './reach.js';

/** The steps of a plan as a graph. Every reading of "before" goes through here, so that all agree on what it means. */
export interface Order {
  /** What each step waits for directly, also ids that no step has: such a step never becomes ready. */
  readonly direct: ReadonlyMap<string, ReadonlySet<string>>;
  /** All known steps before each step. */
  readonly before: ReadonlyMap<string, ReadonlySet<string>>;
}

export function orderOf(plan: Plan): Order {
  const { ids, direct, rows } = gridOf(plan);
  const before = ids.map((id, at) => [id, new Set(ids.filter((_, other) => rows[at]?.[other] === 1))] as const);
  return { direct, before: new Map(before) };
}

/** The same in numbers: those of `ids`. */
export interface Grid {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  readonly direct: Order['direct'];
  readonly waitsFor: readonly (readonly number[])[];
  readonly rows: Rows;
}

export function gridOf(plan: Plan): Grid {
  const numbers = inNumbers(plan);
  return { ...numbers, rows: reachRows(numbers.waitsFor) };
}

/** Without who comes before whom over others. */
export function inNumbers(plan: Plan): Omit<Grid, 'rows'> {
  const direct = directDependencies(plan);
  const ids = [...direct.keys()];
  const indexOf = new Map(ids.map((id, index) => [id, index]));
  const waitsFor = ids.map((id) => [...(direct.get(id) ?? [])].flatMap((other) => indexOf.get(other) ?? []));
  return { ids, indexOf, direct, waitsFor };
}

/**
 * A step waits for what it depends on, for who makes true what it relies on, for the step before it where the plan is
 * ordered, for the step that decides whether it runs, and for what an ordering puts before it.
 */
export function directDependencies(plan: Plan): ReadonlyMap<string, ReadonlySet<string>> {
  const direct = new Map<string, Set<string>>();
  const add = (id: string, before: string) => direct.get(id)?.add(before);
  for (const { id } of plan.steps) direct.set(id, new Set());
  plan.steps.forEach(({ id, dependsOn }, index) => {
    const previous = plan.shape === 'ordered' ? plan.steps[index - 1] : undefined;
    if (previous !== undefined) add(id, previous.id);
    for (const before of dependsOn) add(id, before);
  });
  for (const link of plan.links ?? []) add(link.for, link.by);
  for (const { before, after } of plan.orderings ?? []) add(after, before);
  for (const { at, ifSo, ifNot } of plan.branches ?? []) for (const id of [...ifSo, ...ifNot]) add(id, at);
  return direct;
}

/** Every step after all that it waits for, otherwise in the order of the plan; steps on or behind a cycle are missing. */
export function sorted(plan: Plan): readonly PlanStep[] {
  const { ids, waitsFor } = inNumbers(plan);
  const steps = grouped(plan.steps);
  return topological(waitsFor).flatMap((at) => steps.get(ids[at] ?? '') ?? []);
}

/** Several under one id are refused elsewhere, and lose nobody here. */
function grouped(steps: readonly PlanStep[]): ReadonlyMap<string, readonly PlanStep[]> {
  const byId = new Map<string, PlanStep[]>();
  for (const step of steps) byId.set(step.id, [...(byId.get(step.id) ?? []), step]);
  return byId;
}

/** Steps that wait for each other, each before the one that follows and the last before the first. */
export function findCycle(plan: Plan): readonly string[] | undefined {
  const free = new Set(sorted(plan).map(({ id }) => id));
  const first = plan.steps.find(({ id }) => !free.has(id));
  if (first === undefined) return undefined;
  const direct = directDependencies(plan);
  const walk: string[] = [];
  // whoever is not free waits for somebody who is not free either, so the walk always goes on until it closes
  for (let at: string | undefined = first.id; at !== undefined; ) {
    if (walk.includes(at)) return walk.slice(walk.indexOf(at)).reverse();
    walk.push(at);
    at = [...(direct.get(at) ?? [])].find((id) => direct.has(id) && !free.has(id));
  }
  return undefined;
}

/** All steps that come before this one, in the order of the plan. */
export function predecessors(plan: Plan, id: string): readonly string[] {
  const { ids, indexOf, rows } = gridOf(plan);
  const row = rows[indexOf.get(id) ?? -1];
  return ids.filter((_, at) => row?.[at] === 1);
}

/** How many steps cannot start before this one is over. */
export function countBehind({ before }: Order, id: string): number {
  return [...before].filter(([other, earlier]) => other !== id && earlier.has(id)).length;
}

/** The chain of steps that takes longest by the estimates: no width makes the plan faster than that. */
export function criticalPath(plan: Plan): { readonly steps: readonly string[]; readonly ms: number } {
  const cycle = findCycle(plan);
  if (cycle !== undefined)
    throw new FlyballError('PLAN_INVALID', `A cycle has no critical path: ${cycle.join(' → ')}. Break it first.`, {
      detail: { cycle },
    });
  const direct = directDependencies(plan);
  const longest = new Map<string, { readonly steps: readonly string[]; readonly ms: number }>();
  let best: { readonly steps: readonly string[]; readonly ms: number } = { steps: [], ms: 0 };
  for (const { id, estimatedMs } of sorted(plan)) {
    let before: { readonly steps: readonly string[]; readonly ms: number } = { steps: [], ms: 0 };
    for (const other of direct.get(id) ?? []) {
      const path = longest.get(other);
      if (path !== undefined && (path.ms > before.ms || before.steps.length === 0)) before = path;
    }
    const path = { steps: [...before.steps, id], ms: before.ms + estimatedMs };
    longest.set(id, path);
    if (path.ms > best.ms || best.steps.length === 0) best = path;
  }
  return best;
}
