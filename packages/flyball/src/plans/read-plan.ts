import { findJson, isTooDeep } from '../core/read-json.js';
import { type Fields, fieldsOf, isObject, noteMisspelt } from './fields.js';
import { PLAN_LIMITS } from './limits.js';
import { inListOrder } from './list-order.js';
import type { Branch, CausalLink, Ordering, Plan, PlanShape, PlanStep } from './plan.js';
import { readStep } from './read-step.js';

/** A parsed plan, or why it cannot be parsed. */
export type ReadPlan = { readonly ok: true; readonly plan: Plan } | { readonly ok: false; readonly problem: string };

/** How many steps a plan can have. */
export const MAX_STEPS = PLAN_LIMITS.steps;
const PROBLEMS_SHOWN = 8;
const PROBLEM_CHARS = 400;
export const SHAPES: readonly PlanShape[] = ['ordered', 'partial', 'conditional'];
const KNOWN: readonly string[] = ['goal', 'shape', 'steps', 'links', 'orderings', 'branches'];

/** A planner's text as a plan, or what is wrong with it in words that let the planner mend it. */
export function parsePlan(text: string): ReadPlan {
  const found = findJson(text, looksLikePlan, 'plan');
  return found.ok ? readPlan(found.value) : { ok: false, problem: `${found.problem}.` };
}

/** The same for a value that was parsed already. What comes back is frozen: a plan changes by its next version only. */
export function readPlan(value: unknown): ReadPlan {
  if (isTooDeep(value)) return { ok: false, problem: 'The plan is nested too deeply. Write its values flat.' };
  const list = stepsIn(value);
  if (list === undefined) return { ok: false, problem: 'A plan is an object with a list of "steps".' };
  if (list.length === 0) return { ok: false, problem: 'The plan has no steps. Write at least one.' };
  if (list.length > MAX_STEPS)
    return { ok: false, problem: `The plan has ${list.length} steps; write ${MAX_STEPS} at most.` };
  const problems: string[] = [];
  const steps = list.map((step, index) => readStep(step, index, problems));
  steps.forEach(({ id }, index) => {
    if (id !== '' && steps.findIndex((other) => other.id === id) !== index)
      problems.push(`Step ${index + 1}: id ${id} is taken by an earlier step`);
  });
  checkConditions(steps, problems);
  const plan = assembled(unwrapped(value), steps, problems);
  return problems.length === 0 ? { ok: true, plan: frozen(plan) } : { ok: false, problem: told(problems) };
}

function checkConditions(steps: readonly PlanStep[], problems: string[]): void {
  const all = steps.reduce((sum, { preconditions, effects }) => sum + preconditions.length + effects.length, 0);
  if (all > PLAN_LIMITS.allConditions)
    problems.push(
      `The steps have ${all} preconditions and effects in all, and ${PLAN_LIMITS.allConditions} is the most`,
    );
}

/** In prose a list of anything else may stand too, and must not be taken for the plan. */
function looksLikePlan(value: unknown): boolean {
  const steps = stepsIn(value) ?? [];
  return steps.length > 0 && steps.every((step) => isObject(step) && ('id' in step || 'description' in step));
}

/** `{ plan: … }` stands for what is inside it. */
function unwrapped(value: unknown): unknown {
  const inner = isObject(value) ? value['plan'] : undefined;
  return isObject(inner) || Array.isArray(inner) ? inner : value;
}

/** A plan's steps, an older todo list under its names, or a bare list. */
function stepsIn(value: unknown): readonly unknown[] | undefined {
  const plan = unwrapped(value);
  const steps = isObject(plan) ? (plan['steps'] ?? plan['todoList'] ?? plan['todo'] ?? plan['items']) : plan;
  return Array.isArray(steps) ? (steps as readonly unknown[]) : undefined;
}

function assembled(value: unknown, steps: readonly PlanStep[], problems: string[]): Plan {
  const source = isObject(value) ? value : {};
  const fields = fieldsOf(source, 'Plan', problems);
  noteMisspelt(fields, source, KNOWN);
  const links = objects(fields, source, 'links', PLAN_LIMITS.links).map((link) => readLink(link, problems));
  const orderings = objects(fields, source, 'orderings', PLAN_LIMITS.orderings).map((ordering) =>
    readOrdering(ordering, problems),
  );
  const branches = objects(fields, source, 'branches', PLAN_LIMITS.steps).map((branch, index) =>
    readBranch(branch, index, problems),
  );
  const wanted = fields.oneOf<PlanShape>('shape', SHAPES, shapeOf(steps, branches));
  if (wanted === 'conditional' && branches.length === 0)
    fields.refuse('branches', 'are missing, since shape is conditional');
  const isList =
    branches.length > 0 && (wanted === 'ordered' || steps.every(({ dependsOn }) => dependsOn.length === 0));
  return {
    goal: fields.text('goal', '', PLAN_LIMITS.textChars),
    shape: branches.length > 0 ? 'conditional' : wanted,
    steps: isList && wanted !== 'partial' ? inListOrder(steps, branches) : steps,
    ...(links.length > 0 ? { links } : {}),
    ...(orderings.length > 0 ? { orderings } : {}),
    ...(branches.length > 0 ? { branches } : {}),
  };
}

function shapeOf(steps: readonly PlanStep[], branches: readonly Branch[]): PlanShape {
  if (branches.length > 0) return 'conditional';
  return steps.some(({ dependsOn }) => dependsOn.length > 0) ? 'partial' : 'ordered';
}

function objects(
  fields: Fields,
  source: Readonly<Record<string, unknown>>,
  name: string,
  most: number,
): readonly Readonly<Record<string, unknown>>[] {
  const value = source[name] ?? [];
  if (Array.isArray(value) && value.length > most) {
    fields.refuse(name, `are ${value.length}, and ${most} is the most`);
    return [];
  }
  const all = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  if (!Array.isArray(value) || !all.every(isObject)) fields.refuse(name, 'must be a list of objects');
  return all.filter(isObject);
}

function readLink(link: Readonly<Record<string, unknown>>, problems: string[]): CausalLink {
  const fields = fieldsOf(link, 'A link', problems);
  return { by: fields.text('by'), condition: fields.text('condition'), for: fields.text('for') };
}

function readOrdering(ordering: Readonly<Record<string, unknown>>, problems: string[]): Ordering {
  const fields = fieldsOf(ordering, 'An ordering', problems);
  return { before: fields.text('before'), after: fields.text('after') };
}

const DECIDERS = ['answer'] as const;

function readBranch(branch: Readonly<Record<string, unknown>>, index: number, problems: string[]): Branch {
  const fields = fieldsOf(branch, `Branch ${index + 1}`, problems);
  noteMisspelt(fields, branch, ['at', 'observation', 'decidedBy', 'ifSo', 'ifNot']);
  const [ifSo, ifNot] = [fields.list('ifSo', PLAN_LIMITS.steps), fields.list('ifNot', PLAN_LIMITS.steps)];
  if (ifSo.length + ifNot.length === 0)
    fields.refuse('ifSo', 'and ifNot are both empty: name the steps it decides about');
  const decider = fields.has('decidedBy') ? fields.oneOf('decidedBy', DECIDERS, 'answer') : undefined;
  return {
    at: fields.text('at'),
    observation: fields.text('observation'),
    ...(decider === undefined ? {} : { decidedBy: decider }),
    ifSo,
    ifNot,
  };
}

function told(problems: readonly string[]): string {
  const more = problems.length > PROBLEMS_SHOWN ? `; and ${problems.length - PROBLEMS_SHOWN} more` : '';
  const shown = problems.slice(0, PROBLEMS_SHOWN).map(clipped);
  return `${shown.join('; ')}${more}.`;
}

function clipped(problem: string): string {
  return problem.length > PROBLEM_CHARS ? `${problem.slice(0, PROBLEM_CHARS)} …` : problem;
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}
