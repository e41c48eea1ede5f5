import { choose } from './formulas.js';
import { draw } from './simulated.js';
import type { ShareInterval } from './statistics.js';

/** An estimate with its 95% interval. */
export interface Estimate extends ShareInterval {
  readonly value: number;
  /** Observations behind it. */
  readonly n: number;
}

/** The samples of one question. */
export type Samples = readonly { readonly isRight: boolean; readonly answer: string }[];

const RESAMPLES = 400;
const clamp = (value: number, low = 0, high = 1): number => Math.min(high, Math.max(low, value));

const pairs = (samples: Samples) => samples.flatMap((a, at) => samples.slice(at + 1).map((b) => [a, b] as const));
const shareRight = (items: readonly Samples[]): number => {
  const all = items.flat();
  return all.length === 0 ? 0 : all.filter(({ isRight }) => isRight).length / all.length;
};

/** How much more often two samples agree on being right than strangers would: the share of items with a common error. */
function correlationIn(items: readonly Samples[]): number {
  const p = shareRight(items);
  const chance = p * p + (1 - p) * (1 - p);
  const both = items.flatMap(pairs);
  if (both.length === 0 || chance > 0.9999) return 0;
  const agree = both.filter(([a, b]) => a.isRight === b.isRight).length / both.length;
  return clamp((agree - chance) / (1 - chance));
}

/** How many wrong answers there are, as if all were equally likely. */
function wrongIn(items: readonly Samples[]): number {
  const [p, common] = [shareRight(items), correlationIn(items)];
  const wrong = items.flatMap(pairs).filter(([a, b]) => !a.isRight && !b.isRight);
  if (wrong.length === 0) return 1;
  const same = wrong.filter(([a, b]) => a.answer === b.answer).length / wrong.length;
  const [shared, own] = [common * (1 - p), (1 - common) * (1 - p) ** 2];
  const apart = same * (shared + own) - shared; // what is left of the same answers once the common ones are taken out
  return apart <= 0 ? 20 : clamp(own / apart, 1, 20);
}

/** Half the square of the 97.5% quantile: a fit this much worse is outside of the interval. Few questions widen it (Student). */
const worseBy = (n: number): number => 1.92 * (1 + 2 / Math.max(1, n - 2));

const GRID = 60;
const shares = Array.from({ length: GRID + 1 }, (_none, n) => n / GRID);

/**
 * How well parameters fit, by the number of right samples of each question: with probability `common` all samples of a
 * question are one, else each is right with p by itself. Resampling questions gave intervals that were too narrow.
 */
function likelihoods(items: readonly Samples[]) {
  const counts = new Map<string, { readonly right: number; readonly of: number; times: number }>();
  for (const samples of items) {
    const right = samples.filter(({ isRight }) => isRight).length;
    const known = counts.get(`${right}/${samples.length}`) ?? { right, of: samples.length, times: 0 };
    counts.set(`${right}/${samples.length}`, { ...known, times: known.times + 1 });
  }
  return (p: number, common: number): number => {
    let sum = 0;
    for (const { right, of, times } of counts.values()) {
      const shared = right === of ? p : right === 0 ? 1 - p : 0;
      const own = choose(of, right) * p ** right * (1 - p) ** (of - right);
      sum += times * Math.log(Math.max(1e-300, common * shared + (1 - common) * own));
    }
    return sum;
  };
}

/** Where the best fit of everything else is not too much worse than the best of all. */
function profiled(items: readonly Samples[], fit: (at: number, other: number) => number, value: number): Estimate {
  const best = shares.map((at) => Math.max(...shares.map((other) => fit(at, other))));
  const least = Math.max(...best) - worseBy(items.length);
  const within = shares.filter((_at, n) => (best[n] ?? least) >= least);
  // the true ends lie between two places of the grid: the wider of both is said
  const low = clamp(Math.min(value, within[0] ?? 0) - 1 / GRID);
  const high = clamp(Math.max(value, within.at(-1) ?? 1) + 1 / GRID);
  return { value, low, high, n: items.flat().length };
}

/** Resamples whole questions: the samples of one are not independent of each other. */
function overQuestions(items: readonly Samples[], of: (some: readonly Samples[]) => number): Estimate {
  const drawn = Array.from({ length: RESAMPLES }, (_none, round) =>
    of(items.map((_item, at) => items[Math.floor(draw('resample', round, at) * items.length)] ?? [])),
  ).sort((a, b) => a - b);
  const at = (share: number): number => drawn[Math.min(RESAMPLES - 1, Math.floor(share * RESAMPLES))] ?? 0;
  return { value: of(items), low: at(0.025), high: at(0.975), n: items.flat().length };
}

export const accuracyOf = (items: readonly Samples[]): Estimate => {
  const fit = likelihoods(items);
  return profiled(items, (p, common) => fit(p, common), shareRight(items));
};
export const correlationOf = (items: readonly Samples[]): Estimate => {
  const fit = likelihoods(items);
  return profiled(items, (common, p) => fit(p, common), correlationIn(items));
};
export const wrongAnswersOf = (items: readonly Samples[]): Estimate => overQuestions(items, wrongIn);

/** The length L of exp(-n/L) that fits best, by likelihood; its interval is where the likelihood is not much worse. */
export function lengthOf(seen: readonly { readonly tokens: number; readonly isRight: boolean }[]): Estimate {
  const grid = Array.from({ length: 161 }, (_none, n) => 50 * 10 ** (n / 40)); // 50 to 500,000 tokens
  const likelihood = (length: number): number =>
    seen.reduce((sum, { tokens, isRight }) => {
      const p = clamp(Math.exp(-tokens / length), 1e-9, 1 - 1e-9);
      return sum + Math.log(isRight ? p : 1 - p);
    }, 0);
  const all = grid.map((length) => ({ length, fit: likelihood(length) }));
  const best = all.reduce((a, b) => (b.fit > a.fit ? b : a), { length: 50, fit: Number.NEGATIVE_INFINITY });
  const near = all.filter(({ fit }) => fit >= best.fit - worseBy(seen.length)).map(({ length }) => length);
  return { value: best.length, low: near[0] ?? 50, high: near.at(-1) ?? 500_000, n: seen.length };
}
