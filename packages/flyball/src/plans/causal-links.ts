import { waysThrough } from './branches.js';
import { holds, negated } from './facts.js';
import { gridOf } from './graph.js';
import type { CausalLink, Plan, PlanStep } from './plan.js';
import { type Rows, topological } from './reach.js';

/** Why a precondition holds when its step starts. Without `by` it has held since before the first step. */
export interface Support extends Omit<CausalLink, 'by'> {
  readonly by: string | undefined;
  /** Steps that make the condition untrue and may run between its maker and the step that relies on it. */
  readonly threats: readonly string[];
}

export interface Analysis {
  readonly supports: readonly Support[];
  /** Preconditions that nothing before their step makes true for sure. */
  readonly unmet: readonly { readonly step: string; readonly condition: string }[];
  /** It took more work than there may be, and was broken off: what is not named here was not looked at. */
  readonly isCut: boolean;
}

/** Looks at one step that makes a condition true, or untrue, for another one: a small fraction of a second. */
export const MAX_WORK = 5_000_000;

/** What is left of the work that may be done. Every way through the branches takes all of it once more. */
export interface Work {
  left: number;
}

/** Who makes true what somebody else relies on: the links that the plan gives, and the others from its conditions. */
export function causalLinks(plan: Plan): readonly CausalLink[] {
  const derived = analyse(plan).supports.flatMap(({ by, condition, for: to }) =>
    by === undefined ? [] : [{ by, condition, for: to }],
  );
  const given = (plan.links ?? []).filter((link) => !derived.some((other) => sameLink(link, other)));
  return [...given, ...derived];
}

function sameLink(a: CausalLink, b: CausalLink): boolean {
  return a.by === b.by && a.condition === b.condition && a.for === b.for;
}

/**
 * Every precondition with what supports it, for each way the branches may turn out. Without facts, what no step makes
 * true or untrue beforehand is taken to hold from the start.
 */
export function analyse(plan: Plan, facts?: readonly string[]): Analysis {
  return analyseScene(sceneOf(plan, facts), { left: MAX_WORK });
}

/** A plan as the analysis looks at it, in numbers: those of `ids`. */
export interface Scene {
  readonly ids: readonly string[];
  readonly indexOf: ReadonlyMap<string, number>;
  /** Who comes before whom. */
  readonly rows: Rows;
  readonly ways: Rows;
  readonly facts: ReadonlySet<string> | undefined;
  readonly needs: readonly Need[];
}

/** A condition that a step relies on, with whoever has to do with it. */
interface Need {
  readonly step: number;
  readonly condition: string;
  /** Steps that make it true, those that run last first. */
  readonly makers: readonly number[];
  readonly breakers: readonly number[];
  /** Those that a link of the plan names for it. */
  readonly given: readonly number[];
}

export function sceneOf(plan: Plan, facts?: readonly string[]): Scene {
  const { ids, indexOf, waitsFor, rows } = gridOf(plan);
  const byId = new Map(plan.steps.map((step) => [step.id, step]));
  const makers = new Map<string, number[]>();
  for (const at of topological(waitsFor).toReversed())
    for (const effect of lasting(byId.get(ids[at] ?? ''))) push(makers, effect, at);
  const linksFor = new Map<string, CausalLink[]>();
  for (const link of plan.links ?? []) push(linksFor, link.for, link);
  const needs = plan.steps.flatMap(({ id, preconditions }): Need[] => {
    const step = indexOf.get(id) ?? -1;
    const links = linksFor.get(id) ?? [];
    // a given link protects its condition also where the step does not name it among its preconditions
    const relied = new Set([...preconditions, ...links.map(({ condition }) => condition)]);
    const others = (wanted: string) => (makers.get(wanted) ?? []).filter((at) => at !== step);
    return [...relied].map((condition) => ({
      step,
      condition,
      makers: others(condition),
      breakers: others(negated(condition)),
      given: links.filter((link) => link.condition === condition).flatMap(({ by }) => indexOf.get(by) ?? []),
    }));
  });
  return {
    ids,
    indexOf,
    rows,
    ways: waysThrough(plan).rows,
    facts: facts === undefined ? undefined : new Set(facts),
    needs,
  };
}

function push<T>(lists: Map<string, T[]>, key: string, item: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** The effects that stand when the step is over: of a condition and its negation, the one named last. */
function lasting(step: PlanStep | undefined): readonly string[] {
  const effects = step?.effects ?? [];
  return effects.filter((effect, index) => !effects.slice(index + 1).includes(negated(effect)));
}

export function analyseScene(scene: Scene, work: Work): Analysis {
  const { ids, ways, needs } = scene;
  const supports = new Map<string, { readonly support: NumberedSupport; readonly threats: Set<number> }>();
  const unmet = new Map<number, Analysis['unmet'][number]>();
  let isCut = false;
  for (const way of ways) {
    for (const [index, need] of needs.entries()) {
      if (way[need.step] !== 1) continue;
      work.left -= 1 + (need.makers.length + 2) * (need.breakers.length + 1);
      if (work.left < 0) {
        isCut = true;
        break;
      }
      const support = supportOf(need, way, scene);
      if (support === undefined) unmet.set(index, { step: ids[need.step] ?? '', condition: need.condition });
      else merge(supports, `${support.by ?? ''} ${index}`, support);
    }
    if (isCut) break;
  }
  return {
    supports: [...supports.values()].map(({ support, threats }) => inWords(scene, support, threats)),
    unmet: [...unmet.values()],
    isCut,
  };
}

interface NumberedSupport {
  readonly need: Need;
  readonly by: number | undefined;
  readonly threats: readonly number[];
}

function merge(
  supports: Map<string, { readonly support: NumberedSupport; readonly threats: Set<number> }>,
  key: string,
  support: NumberedSupport,
): void {
  const known = supports.get(key);
  if (known === undefined) supports.set(key, { support, threats: new Set(support.threats) });
  else for (const threat of support.threats) known.threats.add(threat);
}

function inWords({ ids }: Scene, { need, by }: NumberedSupport, threats: ReadonlySet<number>): Support {
  const nameOf = (at: number): string => ids[at] ?? '';
  return {
    by: by === undefined ? undefined : nameOf(by),
    condition: need.condition,
    for: nameOf(need.step),
    threats: [...threats].map(nameOf),
  };
}

function supportOf(need: Need, way: Uint8Array, { rows, facts }: Scene): NumberedSupport | undefined {
  const { step, condition } = need;
  const isIn = (at: number) => way[at] === 1;
  const isBefore = (earlier: number, later: number) => rows[later]?.[earlier] === 1;
  const breakers = need.breakers.filter(isIn);
  const early = breakers.filter((at) => isBefore(at, step));
  const isUndone = (maker: number | undefined) => early.some((at) => maker === undefined || isBefore(maker, at));
  const supportBy = (by: number | undefined): NumberedSupport => ({
    need,
    by,
    threats: breakers.filter((at) => at !== by && !isBefore(step, at) && !(by !== undefined && isBefore(at, by))),
  });
  const given = need.given.find(isIn);
  if (given !== undefined) return isUndone(given) ? undefined : supportBy(given);
  const options = need.makers.filter((at) => isIn(at) && isBefore(at, step) && !isUndone(at)).map(supportBy);
  // one that nobody can spoil is enough, however many others there are
  const safe = options.find(({ threats }) => threats.length === 0) ?? options[0];
  if (safe !== undefined) return safe;
  return isUndone(undefined) || (facts !== undefined && !holds(condition, facts)) ? undefined : supportBy(undefined);
}
