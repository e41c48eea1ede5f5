import { pythonRandom } from './mersenne-twister.js';

/** The seeds of `trials` trials: one draw each from the run's seed, as the reference draws them. */
export function trialSeeds(runSeed: number, trials: number): readonly number[] {
  const random = pythonRandom(runSeed);
  return Array.from({ length: trials }, () => random.integer(0, 1_000_000));
}
