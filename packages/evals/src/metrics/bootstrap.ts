import { mersenneTwister } from './mersenne-twister.js';

/** A figure with what it may be: 95 of 100 such intervals hold the true value. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

export interface BootstrapOptions {
  /** Resamples: 2,000. */
  readonly resamples?: number;
  /** 0.95 */
  readonly level?: number;
  readonly seed?: number;
  /** `bca` corrects for bias and skew, which shares near 0 and 1 have; `percentile` does not. */
  readonly method?: 'bca' | 'percentile';
}

/**
 * Bootstrap interval of the mean over units. A unit is a task with all its trials: trials of one task resemble each
 * other, and drawing them one by one would make the interval too narrow. The same seed gives the same interval.
 */
export function bootstrapMean(units: readonly (readonly number[])[], options: BootstrapOptions = {}): Interval | null {
  const filled = units.filter((unit) => unit.length > 0);
  if (filled.length === 0) return null;
  const { resamples = 2000, level = 0.95, seed = 1, method = 'bca' } = options;
  const random = mersenneTwister(seed);
  const value = meanOf(filled);
  const drawn = Array.from({ length: resamples }, () =>
    meanOf(filled.map(() => filled[Math.floor(random() * filled.length)] ?? [])),
  ).sort((a, b) => a - b);
  const tail = (1 - level) / 2;
  const [low, high] = method === 'bca' ? correctedTails(drawn, value, filled, tail) : ([tail, 1 - tail] as const);
  return { value, low: quantile(drawn, low), high: quantile(drawn, high) };
}

function meanOf(units: readonly (readonly number[])[]): number {
  let sum = 0;
  let count = 0;
  for (const unit of units) {
    for (const value of unit) sum += value;
    count += unit.length;
  }
  return count === 0 ? 0 : sum / count;
}

/** Efron's bias-corrected and accelerated tails; plain ones where every resample says the same. */
function correctedTails(
  drawn: readonly number[],
  value: number,
  units: readonly (readonly number[])[],
  tail: number,
): readonly [number, number] {
  const below = drawn.filter((one) => one < value).length + drawn.filter((one) => one === value).length / 2;
  const share = below / drawn.length;
  if (share === 0 || share === 1) return [tail, 1 - tail];
  const bias = normalQuantile(share);
  const skew = acceleration(units);
  const corrected = (probability: number) => {
    const z = bias + normalQuantile(probability);
    return normalShare(bias + z / (1 - skew * z));
  };
  return [corrected(tail), corrected(1 - tail)];
}

/** From the means with one unit left out at a time. */
function acceleration(units: readonly (readonly number[])[]): number {
  const left = units.map((_, index) => meanOf(units.filter((_unit, other) => other !== index)));
  const centre = left.reduce((sum, one) => sum + one, 0) / left.length;
  const squares = left.reduce((sum, one) => sum + (centre - one) ** 2, 0);
  const cubes = left.reduce((sum, one) => sum + (centre - one) ** 3, 0);
  return squares === 0 ? 0 : cubes / (6 * squares ** 1.5);
}

/** Of sorted values, between neighbors. */
export function quantile(sorted: readonly number[], share: number): number {
  const place = Math.min(Math.max(share, 0), 1) * (sorted.length - 1);
  const low = sorted[Math.floor(place)] ?? Number.NaN;
  const high = sorted[Math.ceil(place)] ?? low;
  return low + (high - low) * (place - Math.floor(place));
}

/** Share of the standard normal distribution below `z` (Abramowitz and Stegun 26.2.17, error below 7.5e-8). */
export function normalShare(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const upper = Math.exp((-z * z) / 2) * 0.3989422804014327 * poly;
  return z >= 0 ? 1 - upper : upper;
}

/** The inverse, by bisection: it is asked a few times an interval, and needs no table of its own. */
export function normalQuantile(share: number): number {
  let low = -9;
  let high = 9;
  for (let round = 0; round < 60; round++) {
    const middle = (low + high) / 2;
    if (normalShare(middle) < share) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
