import { canonicalJson, sha256 } from '../core/canonical.js';
import { FlyballError } from '../core/errors.js';
import type { ChangedFields, Plan, PlanChange, PlanStep } from './plan.js';

const OUTLINE = ['goal', 'shape', 'links', 'orderings', 'branches'] as const satisfies readonly (keyof Plan)[];

/** One hash for one plan, however its fields were written down. */
export function planHash(plan: Plan): string {
  return sha256(canonicalJson(plan));
}

/** What makes `after` out of `before`: steps cancelled, edited and added, and what changed of the plan itself. */
export function diffPlans(before: Plan, after: Plan, why = 'It is not in the new plan.'): readonly PlanChange[] {
  const [old, wanted] = [byId(before), byId(after)];
  const changes: PlanChange[] = [
    ...before.steps.flatMap(({ id }): PlanChange[] => (wanted.has(id) ? [] : [{ change: 'cancelled', id, why }])),
    ...after.steps.flatMap((step): PlanChange[] => {
      const earlier = old.get(step.id);
      if (earlier === undefined) return [{ change: 'added', step }];
      const fields = changedFields(earlier, step);
      return Object.keys(fields).length === 0 ? [] : [{ change: 'edited', id: step.id, fields }];
    }),
  ];
  const order = [applyChanges(before, changes), after].map(({ steps }) => steps.map(({ id }) => id));
  const fields = {
    ...changedFields(pick(before), pick(after)),
    ...(same(order[0], order[1]) ? {} : { order: [order[0], order[1]] as const }),
  };
  return Object.keys(fields).length === 0 ? changes : [...changes, { change: 'plan-edited', fields }];
}

/**
 * The plan with the changes made, in their order; added steps go to the end until an `order` says otherwise. A change that
 * was made for another version of the plan is refused, never half applied.
 */
export function applyChanges(plan: Plan, changes: readonly PlanChange[]): Plan {
  return changes.reduce(applied, plan);
}

function applied(plan: Plan, change: PlanChange): Plan {
  switch (change.change) {
    case 'added':
      if (byId(plan).has(change.step.id)) refuse(`step ${change.step.id} already exists`, change);
      return { ...plan, steps: [...plan.steps, change.step] };
    case 'cancelled':
      if (!byId(plan).has(change.id)) refuse(`there is no step ${change.id}`, change);
      return { ...plan, steps: plan.steps.filter(({ id }) => id !== change.id) };
    case 'edited':
      if (!byId(plan).has(change.id)) refuse(`there is no step ${change.id}`, change);
      return {
        ...plan,
        steps: plan.steps.map((step) => (step.id === change.id ? edited(step, change.fields, change) : step)),
      };
    case 'plan-edited': {
      const { order, ...fields } = change.fields;
      const outline = edited(plan, fields, change);
      return order === undefined ? outline : { ...outline, steps: reordered(plan, order, change) };
    }
  }
}

function reordered(plan: Plan, order: readonly [unknown, unknown], change: PlanChange): readonly PlanStep[] {
  const ids = plan.steps.map(({ id }) => id);
  const wanted = order[1] as readonly string[];
  if (!same(ids, order[0]) || !same([...ids].sort(), [...wanted].sort())) refuse('its steps are others', change);
  const steps = byId(plan);
  return wanted.flatMap((id) => steps.get(id) ?? []);
}

function edited<T extends object>(target: T, fields: ChangedFields, change: PlanChange): T {
  const members = new Map(Object.entries(target));
  for (const [name, [from, to]] of Object.entries(fields)) {
    if (!same(members.get(name) ?? null, from)) refuse(`${name} has changed since`, change);
    if (to === null) members.delete(name);
    else members.set(name, to);
  }
  return Object.fromEntries(members) as T;
}

/** Fields that differ, as pairs of before and after. */
export function changedFields(before: object, after: object): ChangedFields {
  const [old, wanted] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = [...new Set([...old.keys(), ...wanted.keys()])];
  const pairs = names.map((name) => [name, [old.get(name) ?? null, wanted.get(name) ?? null]] as const);
  return Object.fromEntries(pairs.filter(([, [from, to]]) => !same(from, to)));
}

export function same(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) === canonicalJson(b ?? null);
}

function pick(plan: Plan): object {
  return Object.fromEntries(OUTLINE.map((name) => [name, plan[name]]));
}

function byId({ steps }: Plan): ReadonlyMap<string, PlanStep> {
  return new Map(steps.map((step) => [step.id, step]));
}

function refuse(why: string, change: PlanChange): never {
  const message = `The change cannot be applied to this plan: ${why}. Make it for the version it is applied to.`;
  throw new FlyballError('PLAN_INVALID', message, { detail: { change } });
}
