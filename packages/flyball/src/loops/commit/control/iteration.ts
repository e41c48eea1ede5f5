import type { CompleteControllerSettings } from './settings.js';

/** c_base·(1 + β·u) */
export function repairCost(intensity: number, settings: CompleteControllerSettings): number {
  return settings.baseCostUsd * (1 + settings.costFactor * intensity);
}

/** The last two of these measurements are as good as equal, and it is not too early to say so. */
export function hasStalled(errors: readonly number[], settings: CompleteControllerSettings): boolean {
  const [before, now] = [errors.at(-2), errors.at(-1)];
  if (before === undefined || now === undefined || errors.length < settings.stallFrom) return false;
  return Math.abs(now - before) < settings.deltaMin;
}
