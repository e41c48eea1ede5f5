import { worlds } from './branches.js';
import { holds, negated } from './facts.js';
import { type Order, orderOf, sorted } from './graph.js';
import type { CausalLink, Plan, PlanStep } from './plan.js';

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
  const scene = sceneOf(plan, facts);
  const supports = new Map<string, Support>();
  const unmet = new Map<string, { readonly step: string; readonly condition: string }>();
  for (const world of worlds(plan))
    for (const step of plan.steps.filter(({ id }) => world.has(id)))
      for (const condition of reliedOn(step, scene.links)) {
        const support = supportOf({ step, condition }, world, scene);
        if (support === undefined) unmet.set(`${step.id} ${condition}`, { step: step.id, condition });
        else merge(supports, support);
      }
  return { supports: [...supports.values()], unmet: [...unmet.values()] };
}

/** A given link protects its condition also where the step does not name it among its preconditions. */
function reliedOn({ id, preconditions }: PlanStep, links: readonly CausalLink[]): ReadonlySet<string> {
  return new Set([...preconditions, ...links.filter((link) => link.for === id).map(({ condition }) => condition)]);
}

interface Scene {
  readonly order: Order;
  readonly links: readonly CausalLink[];
  readonly facts: ReadonlySet<string> | undefined;
  /** Steps that make a condition true, those that run last first. */
  readonly makers: ReadonlyMap<string, readonly string[]>;
}

function sceneOf(plan: Plan, facts: readonly string[] | undefined): Scene {
  const makers = new Map<string, string[]>();
  for (const step of sorted(plan))
    for (const effect of lasting(step)) makers.set(effect, [step.id, ...(makers.get(effect) ?? [])]);
  return {
    order: orderOf(plan),
    links: plan.links ?? [],
    facts: facts === undefined ? undefined : new Set(facts),
    makers,
  };
}

/** The effects that stand when the step is over: of a condition and its negation, the one named last. */
function lasting({ effects }: PlanStep): readonly string[] {
  return effects.filter((effect, index) => !effects.slice(index + 1).includes(negated(effect)));
}

function supportOf(
  { step, condition }: { readonly step: PlanStep; readonly condition: string },
  world: ReadonlySet<string>,
  { order, links, facts, makers }: Scene,
): Support | undefined {
  const isBefore = (a: string, b: string) => order.before.get(b)?.has(a) === true;
  const among = (wanted: string) => (makers.get(wanted) ?? []).filter((id) => world.has(id) && id !== step.id);
  const breakers = among(negated(condition));
  const isUndone = (maker: string | undefined) =>
    breakers.some((id) => isBefore(id, step.id) && (maker === undefined || isBefore(maker, id)));
  const supportBy = (by: string | undefined): Support => ({
    by,
    condition,
    for: step.id,
    threats: breakers.filter((id) => id !== by && !isBefore(step.id, id) && !(by !== undefined && isBefore(id, by))),
  });
  const given = links.find((link) => link.for === step.id && link.condition === condition && world.has(link.by));
  if (given !== undefined) return isUndone(given.by) ? undefined : supportBy(given.by);
  const options = among(condition)
    .filter((id) => isBefore(id, step.id) && !isUndone(id))
    .map(supportBy);
  // one that nobody can spoil is enough, however many others there are
  const safe = options.find(({ threats }) => threats.length === 0) ?? options[0];
  if (safe !== undefined) return safe;
  return isUndone(undefined) || (facts !== undefined && !holds(condition, facts)) ? undefined : supportBy(undefined);
}

function merge(supports: Map<string, Support>, support: Support): void {
  const key = JSON.stringify([support.by ?? null, support.condition, support.for]);
  const threats = new Set([...(supports.get(key)?.threats ?? []), ...support.threats]);
  supports.set(key, { ...support, threats: [...threats] });
}
