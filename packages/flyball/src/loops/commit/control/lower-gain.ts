import { courseFrom } from './course.js';
import { isWithin } from './quality-error.js';
import type { CompleteControllerSettings } from './settings.js';
import { isStable, noiseFloor } from './stability.js';

/**
 * A smaller Kp with which the loop fits its budget, or undefined.
 *
 * All repairs together have the intensity (e(0) - e(n))/G, whatever Kp is: what a smaller one saves is only what the last
 * repair does beyond the gate, and that is worth something where intensity is dear (a large cost factor). One more
 * iteration never pays for itself. So the number of repairs stays, and the largest Kp is looked for that is affordable:
 * among them it leaves the most room below the gate.
 */
export function lowerGain(
  initial: number,
  limits: { readonly iterations: number; readonly costUsd: number },
  settings: CompleteControllerSettings,
): number | undefined {
  const repairs = courseFrom(initial, settings).errors.length - 1;
  if (repairs > limits.iterations) return undefined;
  const costWith = (kp: number): number | undefined => {
    const { end, costs } = courseFrom(initial, { ...settings, kp }, repairs);
    return end === 'reached' ? costs.at(-1) : undefined;
  };
  const reaches = (kp: number) => costWith(kp) !== undefined;
  const fits = (kp: number) => isWithin(costWith(kp) ?? Number.POSITIVE_INFINITY, limits.costUsd);
  if (!reaches(settings.kp)) return undefined;
  const least = bisect(0, settings.kp, reaches);
  const largest = fits(settings.kp) ? settings.kp : bisect(settings.kp, least, fits);
  // past 1/G every repair overshoots: there a smaller gain also lowers the noise floor
  return [largest, Math.min(largest, 1 / settings.gain)].find(
    (kp) => kp < settings.kp && fits(kp) && isSettled({ ...settings, kp }),
  );
}

function isSettled(settings: CompleteControllerSettings): boolean {
  return isStable(settings) && isWithin(noiseFloor(settings, settings.noise), settings.epsilon);
}

/** The end of `[fails, holds]` that holds, moved as close to the other as 40 halvings take it. */
function bisect(fails: number, holds: number, claim: (value: number) => boolean): number {
  let [bad, good] = [fails, holds];
  for (let halving = 0; halving < 40; halving++) {
    const middle = (bad + good) / 2;
    if (claim(middle)) good = middle;
    else bad = middle;
  }
  return good;
}
