import { hasStalled, repairCost } from './iteration.js';
import { pid } from './pid.js';
import { isWithin } from './quality-error.js';
import type { CompleteControllerSettings } from './settings.js';

/** The course a loop would take without noise, if the plant were what the settings say. */
export interface Course {
  /** Error after so many repairs; the first one is the initial error. */
  readonly errors: readonly number[];
  /** What so many repairs cost together. */
  readonly costs: readonly number[];
  readonly end: 'reached' | 'stalled' | 'endless';
}

/** No loop is predicted any further: one that takes longer does not end for practical purposes. */
export const HORIZON = 1000;

/**
 * Goes through e(k+1) = e(k) - G·u(k) with the law that is used live. For a proportional loop that never reaches its
 * clamp this is e(k) = (1 - G·Kp)^k·e(0), which reaches ε after ⌈ln(ε/e(0)) / ln(1 - G·Kp)⌉ repairs; with clamps, integral
 * or derivative there is no such formula. Each repair is counted as c_base·(1 + β·u), and the last measurement, after
 * which nothing is repaired, is not counted: as in the live loop.
 */
export function courseFrom(initial: number, settings: CompleteControllerSettings, horizon = HORIZON): Course {
  const errors = [initial];
  const costs = [0];
  let [error, cost, integral] = [initial, 0, 0];
  let previous: number | undefined;
  for (;;) {
    if (isWithin(error, settings.epsilon)) return { errors, costs, end: 'reached' };
    if (hasStalled(errors, settings)) return { errors, costs, end: 'stalled' };
    if (errors.length > horizon) return { errors, costs, end: 'endless' };
    const law = pid({ error, integral, ...(previous === undefined ? {} : { previous }) }, settings);
    previous = error;
    integral = law.integral;
    error -= settings.gain * law.intensity;
    cost += repairCost(law.intensity, settings);
    errors.push(error);
    costs.push(cost);
  }
}
