import { ConfigError } from './errors.js';
import type { Sampling } from './model.js';

interface Range {
  readonly is: string;
  holds(value: number): boolean;
}

const whole = (least: number): Range => ({
  is: `a whole number of at least ${least}`,
  holds: (value) => Number.isSafeInteger(value) && value >= least,
});

/** No provider takes more. Some take less, which is theirs to say. */
const RANGES: Readonly<Record<'maxOutputTokens' | 'temperature' | 'topP' | 'seed' | 'logProbs', Range>> = {
  maxOutputTokens: whole(1),
  temperature: { is: 'a number from 0 to 2', holds: (value) => value >= 0 && value <= 2 },
  topP: { is: 'a number above 0 and at most 1', holds: (value) => value > 0 && value <= 1 },
  seed: { is: 'a whole number', holds: Number.isSafeInteger },
  logProbs: whole(0),
};

type Ranged = keyof typeof RANGES;

/** What is wrong with a setting, in words that follow its name; undefined where nothing is. */
export function outOfRange(name: Ranged, value: unknown): string | undefined {
  const { is, holds } = RANGES[name];
  return typeof value === 'number' && holds(value) ? undefined : `must be ${is}`;
}

/** Refuses settings that no provider takes: where a session is put to use, and before a model is asked. */
export function checkSampling(whose: string, sampling: Sampling | undefined): void {
  if (sampling === undefined) return;
  for (const name of Object.keys(RANGES) as Ranged[]) {
    const value = sampling[name];
    const problem = value === undefined ? undefined : outOfRange(name, value);
    if (problem !== undefined) throw new ConfigError(`${name} of ${whose} ${problem}: got ${String(value)}.`);
  }
}
