import type { Scores } from '../../../checks/contracts.js';
import { ConfigError } from '../../../core/errors.js';
import { DIMENSIONS } from './quality-error.js';
import { isStable } from './stability.js';

/** How hard a loop repairs, and when it gives up. */
export interface ControllerSettings {
  /** r*: the quality that is aimed at, by dimension. */
  readonly setpoint: Scores;
  /** How far below the setpoint the worst dimension may stay. */
  readonly epsilon: number;
  /** How far a prediction may relax `epsilon` to stay within the budget. */
  readonly maxEpsilon?: number;
  /** G in (0, 1]: what a repair of full intensity is expected to improve. Estimated from history by `estimateGain`. */
  readonly gain: number;
  /** Without it (1 - alpha) / G. A `kp` that is given stays as it is when the gain changes. */
  readonly kp?: number;
  /** Damping margin of the default `kp`, 0.2 to 0.5: room for noise and for a gain that was guessed too low. */
  readonly alpha?: number;
  readonly ki?: number;
  readonly kd?: number;
  /** Smallest and largest intensity of a repair. */
  readonly min?: number;
  readonly max?: number;
  /** The accumulated error never counts for more than this. */
  readonly integralLimit?: number;
  readonly maxIterations: number;
  /** What an iteration costs with a repair of no intensity; one of full intensity costs `1 + costFactor` times as much. */
  readonly baseCostUsd: number;
  readonly costFactor: number;
  readonly maxCostUsd: number;
  /** Standard deviation of what one iteration changes by chance. */
  readonly noise: number;
  /** First iteration in which a stall is looked for. The first measurement is iteration 1. */
  readonly stallFrom: number;
  /** A change of the error below this is a stall. */
  readonly deltaMin: number;
}

export type CompleteControllerSettings = Required<ControllerSettings>;

/**
 * The setpoint less the largest relaxed gate (0.1) is where the exit gates begin for correctness, completeness and
 * coherence: a loop that is told to accept less would only be sent back by them. Gain and noise are priors for a loop
 * without history.
 */
export const CONTROLLER_DEFAULTS: Omit<CompleteControllerSettings, 'kp'> = {
  setpoint: { correctness: 0.95, completeness: 0.9, coherence: 0.9, safety: 1 },
  epsilon: 0.05,
  maxEpsilon: 0.1,
  gain: 0.5,
  alpha: 0.3,
  ki: 0,
  kd: 0,
  min: 0,
  max: 1,
  integralLimit: 1,
  maxIterations: 5,
  baseCostUsd: 0.05,
  costFactor: 2,
  maxCostUsd: 2,
  noise: 0.02,
  stallFrom: 3,
  deltaMin: 0.01,
};

/** Complete and checked before anything is spent. */
export function completeSettings(given: Partial<ControllerSettings> = {}): CompleteControllerSettings {
  for (const name of Object.keys(given)) {
    if (name !== 'kp' && !(name in CONTROLLER_DEFAULTS))
      throw new ConfigError(`A controller has no setting "${name}".`);
  }
  const merged = { ...CONTROLLER_DEFAULTS, ...given };
  checkRanges(merged);
  const settings: CompleteControllerSettings = {
    ...merged,
    kp: given.kp ?? (1 - merged.alpha) / merged.gain,
    maxEpsilon: given.maxEpsilon ?? Math.max(CONTROLLER_DEFAULTS.maxEpsilon, merged.epsilon),
  };
  checkLimits(settings);
  checkStability(settings);
  return settings;
}

/** What each number has to lie in, as a claim that is false for NaN too. */
const RANGES: Readonly<
  Record<Exclude<keyof typeof CONTROLLER_DEFAULTS, 'setpoint'>, readonly [string, (n: number) => boolean]>
> = {
  epsilon: ['above 0 and below 1', (n) => n > 0 && n < 1],
  maxEpsilon: ['above 0 and below 1', (n) => n > 0 && n < 1],
  gain: ['above 0 and at most 1', (n) => n > 0 && n <= 1],
  alpha: ['from 0.2 to 0.5', (n) => n >= 0.2 && n <= 0.5],
  ki: ['finite and at least 0', isAmount],
  kd: ['finite and at least 0', isAmount],
  min: ['from 0 to 1', isShare],
  max: ['from 0 to 1', isShare],
  integralLimit: ['finite and above 0', (n) => isAmount(n) && n > 0],
  maxIterations: ['a whole number of at least 1', (n) => Number.isSafeInteger(n) && n >= 1],
  baseCostUsd: ['finite and at least 0', isAmount],
  costFactor: ['finite and at least 0', isAmount],
  maxCostUsd: ['finite and at least 0', isAmount],
  noise: ['finite and at least 0', isAmount],
  stallFrom: [
    'a whole number of at least 2, as a change needs two measurements',
    (n) => Number.isSafeInteger(n) && n >= 2,
  ],
  deltaMin: ['finite and at least 0', isAmount],
};

function isAmount(n: number): boolean {
  return Number.isFinite(n) && n >= 0;
}

function isShare(n: number): boolean {
  return n >= 0 && n <= 1;
}

function checkRanges(settings: Omit<CompleteControllerSettings, 'kp'>): void {
  for (const [name, [range, holds]] of Object.entries(RANGES)) {
    const value: unknown = settings[name as keyof typeof RANGES];
    if (typeof value !== 'number' || !holds(value))
      throw new ConfigError(`${name} of a controller must be ${range}, got ${String(value)}.`);
  }
  for (const name of DIMENSIONS) {
    const value: unknown = settings.setpoint[name];
    if (typeof value !== 'number' || !isShare(value))
      throw new ConfigError(`The setpoint of a controller needs ${name} from 0 to 1, got ${String(value)}.`);
  }
}

function checkLimits({ min, max, epsilon, maxEpsilon }: CompleteControllerSettings): void {
  if (min >= max)
    throw new ConfigError(`The intensity of a controller needs min below max, got min = ${min} and max = ${max}.`);
  if (maxEpsilon < epsilon)
    throw new ConfigError(
      `maxEpsilon of a controller is how far epsilon may be relaxed and cannot lie below it, got ${maxEpsilon} and ${epsilon}.`,
    );
}

function checkStability(settings: CompleteControllerSettings): void {
  const { gain, kp, ki, kd, alpha } = settings;
  if (!Number.isFinite(kp) || !(Math.abs(1 - gain * kp) < 1))
    throw new ConfigError(
      `kp = ${kp} does not settle: with a gain G = ${gain}, |1 - G·kp| = ${short(Math.abs(1 - gain * kp))} has to be below 1, ` +
        `so kp must be above 0 and below 2/G = ${short(2 / gain)}. Omit it for (1 - alpha)/G = ${short((1 - alpha) / gain)}.`,
    );
  if (!isStable(settings))
    throw new ConfigError(
      `kp = ${kp}, ki = ${ki} and kd = ${kd} do not settle together with a gain G = ${gain}: the closed loop has a root on or ` +
        `outside the unit circle. Lower ki and kd, or omit them: kp = ${short((1 - alpha) / gain)} settles alone.`,
    );
}

function short(n: number): string {
  return String(Number(n.toPrecision(4)));
}
