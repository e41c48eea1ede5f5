import { FlyballError } from '../../../core/errors.js';

/** A repair of the past: the quality before and after it, and how intense it was. */
export interface RepairOutcome {
  readonly before: number;
  readonly after: number;
  readonly intensity: number;
}

export interface GainEstimate {
  readonly gain: number;
  /** Standard deviation of what the gain does not explain. */
  readonly noise: number;
  /** Repairs that it rests on; 0 means that it is the prior. */
  readonly samples: number;
}

/** What is assumed before anything was seen counts as much as so many repairs of this intensity. */
const PRIOR = { samples: 4, intensity: 0.5 };

/** A repair below this intensity says nothing about the gain: what it changed is noise. */
const LEAST_INTENSITY = 0.01;

/** A gain of 0 has no controller. Below this one, repairs are as good as useless and stall detection ends them. */
const LEAST_GAIN = 0.01;

/**
 * Gain and noise of the repairs of a class of tasks, from after - before = G·intensity + w.
 *
 * G is the least-squares slope through the origin (a repair of no intensity changes nothing), with the prior as some
 * repairs that went as expected: without them, the first lucky repair would make a controller that expects luck.
 */
export function estimateGain(
  history: readonly RepairOutcome[],
  prior: { readonly gain: number; readonly noise: number },
): GainEstimate {
  for (const repair of history) checkRepair(repair);
  const told = history.filter(({ intensity }) => intensity >= LEAST_INTENSITY);
  const samples = told.length;
  if (samples === 0) return { gain: clampGain(prior.gain), noise: prior.noise, samples };

  const product = sum(told, ({ before, after, intensity }) => intensity * (after - before));
  const square = sum(told, ({ intensity }) => intensity * intensity);
  const weight = PRIOR.samples * PRIOR.intensity ** 2;
  const slope = product / square;
  const residual = sum(told, ({ before, after, intensity }) => (after - before - slope * intensity) ** 2);
  const freedom = samples - 1; // one went into the slope: a single repair says nothing about the noise
  return {
    gain: clampGain((product + weight * prior.gain) / (square + weight)),
    noise: Math.sqrt((residual + PRIOR.samples * prior.noise ** 2) / (freedom + PRIOR.samples)),
    samples,
  };
}

function checkRepair({ before, after, intensity }: RepairOutcome): void {
  if (Number.isFinite(before) && Number.isFinite(after) && Number.isFinite(intensity) && intensity >= 0) return;
  throw new FlyballError(
    'INPUT_INVALID',
    `A repair in the history needs finite qualities and an intensity of at least 0, got ${JSON.stringify({ before, after, intensity })}. Leave repairs without a measurement out.`,
  );
}

function clampGain(gain: number): number {
  return Math.min(1, Math.max(LEAST_GAIN, gain));
}

function sum<T>(list: readonly T[], of: (item: T) => number): number {
  return list.reduce((total, item) => total + of(item), 0);
}
