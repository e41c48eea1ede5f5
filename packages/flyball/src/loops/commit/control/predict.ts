import { FlyballError } from '../../../core/errors.js';
import { type Course, courseFrom, HORIZON } from './course.js';
import { lowerGain } from './lower-gain.js';
import { isWithin } from './quality-error.js';
import type { CompleteControllerSettings } from './settings.js';
import { noiseFloor } from './stability.js';

/** What the loop may use; the limits in the settings hold as well. */
export interface RepairBudget {
  readonly iterations: number;
  readonly costUsd: number;
}

/** How many repairs the controller expects, and their cost. */
export interface Prediction {
  /** Repairs until the gate is met. */
  readonly iterations: number | 'never';
  /** Of these repairs; where the gate is never met, of those up to the point where the loop gives up. */
  readonly costUsd: number;
  /** Error that chance leaves however often one repairs. */
  readonly floor: number;
  readonly verdict: PredictionVerdict;
}

/** What to do about it. `relax-gate` and `lower-gain` name the setting with which the loop fits its budget. */
export type PredictionVerdict =
  | { readonly kind: 'go' }
  | { readonly kind: 'relax-gate'; readonly epsilon: number }
  | { readonly kind: 'lower-gain'; readonly kp: number }
  | { readonly kind: 'refuse'; readonly why: string };

export function predict(initial: number, budget: RepairBudget, settings: CompleteControllerSettings): Prediction {
  const limits = checkedLimits(initial, budget, settings);
  const floor = noiseFloor(settings, settings.noise);
  const course = courseFrom(initial, settings);
  const repairs = course.errors.length - 1;
  // what is good enough already is not touched, so no noise comes into it
  const isNoisy = repairs > 0 && !isWithin(floor, settings.epsilon);
  const costUsd = isNoisy ? 0 : (course.costs.at(-1) ?? 0);
  if (!isNoisy && course.end === 'reached' && fits({ iterations: repairs, costUsd }, limits))
    return { iterations: repairs, costUsd, floor, verdict: { kind: 'go' } };
  return {
    iterations: isNoisy || course.end !== 'reached' ? 'never' : repairs,
    costUsd,
    floor,
    verdict: relaxedGate(course, floor, limits, settings) ??
      loweredGain(initial, limits, settings) ?? { kind: 'refuse', why: whyNot(course, floor, limits, settings) },
  };
}

function checkedLimits(initial: number, budget: RepairBudget, settings: CompleteControllerSettings): RepairBudget {
  if (!Number.isFinite(initial))
    throw new FlyballError('INPUT_INVALID', `A loop is predicted from a finite error, got ${initial}.`);
  if (!(budget.iterations >= 0 && budget.costUsd >= 0))
    throw new FlyballError(
      'INPUT_INVALID',
      `A budget for repairs is at least 0 iterations and 0 USD, got ${budget.iterations} and ${budget.costUsd}.`,
    );
  return {
    iterations: Math.min(budget.iterations, settings.maxIterations),
    costUsd: Math.min(budget.costUsd, settings.maxCostUsd),
  };
}

function fits(needed: RepairBudget, limits: RepairBudget): boolean {
  return needed.iterations <= limits.iterations && isWithin(needed.costUsd, limits.costUsd);
}

/** The strictest gate that the budget, a stall and the noise still allow, unless it is too lax. */
function relaxedGate(
  { errors, costs }: Course,
  floor: number,
  limits: RepairBudget,
  settings: CompleteControllerSettings,
): PredictionVerdict | undefined {
  const affordable = errors.filter((_, iterations) => fits({ iterations, costUsd: costs[iterations] ?? 0 }, limits));
  const epsilon = Math.max(settings.epsilon, floor, Math.min(...affordable));
  return isWithin(epsilon, settings.maxEpsilon) ? { kind: 'relax-gate', epsilon } : undefined;
}

function loweredGain(
  initial: number,
  limits: RepairBudget,
  settings: CompleteControllerSettings,
): PredictionVerdict | undefined {
  const kp = lowerGain(initial, limits, settings);
  return kp === undefined ? undefined : { kind: 'lower-gain', kp };
}

function whyNot(
  course: Course,
  floor: number,
  limits: RepairBudget,
  { epsilon, noise, maxEpsilon }: CompleteControllerSettings,
): string {
  const last = course.errors.length - 1;
  const instead = 'Use a stronger model, retrieve more evidence, split the task or ask a person.';
  if (!isWithin(floor, epsilon))
    return `Noise of ${short(noise)} leaves an error of ${short(floor)}, above the gate of ${short(epsilon)} and its limit of ${short(maxEpsilon)}: more repairs do not help. ${instead}`;
  if (course.end === 'stalled')
    return `Repairs would stall after ${last} at an error of ${short(course.errors[last] ?? 0)}, above the gate of ${short(epsilon)} and its limit of ${short(maxEpsilon)}. ${instead}`;
  const needed = course.end === 'endless' ? `more than ${HORIZON}` : String(last);
  return (
    `It would take ${needed} repairs for about ${short(course.costs[last] ?? 0)} USD, and there is room for ${limits.iterations} ` +
    `and ${short(limits.costUsd)} USD. Raise the budget, split the task, or accept a larger epsilon.`
  );
}

function short(n: number): string {
  return String(Number(n.toPrecision(3)));
}
