/** Mean and variance of one item. A variance of nothing means that every item is the same. */
export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

/** What a claim expects of an item: its score, and the model calls that it takes. */
export interface Expectation {
  readonly value: Moments;
  readonly calls: Moments;
}

/** One way in which an item can go. */
export interface Course {
  /** From 0 to 1. */
  readonly value: number | boolean;
  readonly calls: number;
}

/** True with this probability. */
export type Flip = (probability: number) => boolean;

const MOST_COURSES = 2_000_000;

/**
 * What a process with chances does, exactly: `course` is run once for every way in which its coins can fall, and each way
 * counts with its probability. This is the analytic side of a claim; no code of a pattern takes part in it.
 */
export function exactly(course: (flip: Flip) => Course): Expectation {
  const value = sums();
  const calls = sums();
  let fallen: boolean[] = [];
  for (let courses = 0; courses < MOST_COURSES; courses++) {
    const taken: boolean[] = [];
    let weight = 1;
    const one = course((probability) => {
      const isSure = probability <= 0 || probability >= 1;
      if (isSure) return probability >= 1;
      const side = fallen[taken.length] ?? true;
      taken.push(side);
      weight *= side ? probability : 1 - probability;
      return side;
    });
    value.add(Number(one.value), weight);
    calls.add(one.calls, weight);
    const last = taken.lastIndexOf(true);
    if (last < 0) return { value: value.moments(), calls: calls.moments() };
    fallen = [...taken.slice(0, last), false];
  }
  throw new RangeError(`There are more than ${MOST_COURSES} courses: use a formula.`);
}

function sums() {
  let [first, second] = [0, 0];
  return {
    add(amount: number, weight: number): void {
      first += weight * amount;
      second += weight * amount * amount;
    },
    moments: (): Moments => ({ mean: first, variance: rounded(second - first * first) }),
  };
}

/** What is left of adding up floats is no variance. */
const rounded = (variance: number): number => (variance < 1e-12 ? 0 : variance);

/** Of something that happens or not. */
export function chanceOf(probability: number): Moments {
  return { mean: probability, variance: rounded(probability * (1 - probability)) };
}

/** Always the same. */
export const always = (mean: number): Moments => ({ mean, variance: 0 });

/** Items with chances of their own: the mean over them. */
export function meanChance(probabilities: readonly number[]): Moments {
  const n = Math.max(1, probabilities.length);
  const sum = (of: (p: number) => number): number => probabilities.reduce((total, p) => total + of(p), 0) / n;
  return { mean: sum((p) => p), variance: rounded(sum((p) => p * (1 - p))) };
}
