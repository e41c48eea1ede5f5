import type { Scores } from '../../../checks/contracts.js';
import { FlyballError } from '../../../core/errors.js';
import type { DimensionName } from '../../../core/work.js';

/** In the order in which a tie is settled: of two that lag equally, the graver one is worked on. */
export const DIMENSIONS: readonly DimensionName[] = ['safety', 'correctness', 'completeness', 'coherence'];

/** How far the quality lags behind its setpoint; below 0 where it is better. */
export interface QualityError {
  readonly error: number;
  readonly worst: DimensionName;
}

/** The worst dimension decides: no other one can make up for it. */
export function qualityError(setpoint: Scores, scores: Scores): QualityError {
  const errors = DIMENSIONS.map((worst) => ({ error: setpoint[worst] - checkedScore(scores, worst), worst }));
  return errors.reduce((found, next) => (next.error > found.error + ROUNDING ? next : found));
}

function checkedScore(scores: Scores, dimension: DimensionName): number {
  const score: unknown = scores[dimension];
  if (typeof score === 'number' && score >= 0 && score <= 1) return score;
  throw new FlyballError('INPUT_INVALID', `A score lies between 0 and 1, got ${String(score)} for ${dimension}.`);
}

/** Sums of scores are off by this much at most: what is equal on paper must not differ here. */
export const ROUNDING = 1e-9;

/** At most, on paper. */
export function isWithin(value: number, limit: number): boolean {
  return value <= limit + ROUNDING;
}
