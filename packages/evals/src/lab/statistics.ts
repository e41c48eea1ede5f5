import { signTest } from '../metrics/paired.js';
import type { Moments } from './exactly.js';

/** An interval for a share. */
export interface ShareInterval {
  readonly low: number;
  readonly high: number;
}

const Z95 = 1.959963984540054;

/** Wilson's interval at 95%: it stays within 0 and 1, and says something where all or none succeed. */
export function wilson(successes: number, n: number, z = Z95): ShareInterval {
  if (n === 0) return { low: 0, high: 1 };
  const p = successes / n;
  const centre = p + (z * z) / (2 * n);
  const spread = z * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  const scale = 1 + (z * z) / n;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}

/** How many deviations a mean is from what is expected of it. Without a variance the two have to be equal. */
export function deviations(measured: number, { mean, variance }: Moments, n: number): number {
  const difference = measured - mean;
  if (variance === 0) return Math.abs(difference) < 1e-9 ? 0 : Math.sign(difference) * Number.POSITIVE_INFINITY;
  return difference / Math.sqrt(variance / n);
}

/** Two arms on the same items. */
export interface Paired {
  readonly gain: number;
  readonly wins: number;
  readonly losses: number;
  /** McNemar's exact test, two-sided. */
  readonly p: number;
  readonly extraCalls: number;
  /** Undefined where it takes no more calls. */
  readonly gainPerExtraCall?: number;
}

export function paired(
  pattern: { readonly scores: readonly number[]; readonly calls: readonly number[] },
  baseline: { readonly scores: readonly number[]; readonly calls: readonly number[] },
): Paired {
  const differences = pattern.scores.map((score, item) => score - (baseline.scores[item] ?? 0));
  const wins = differences.filter((one) => one > 0).length;
  const losses = differences.filter((one) => one < 0).length;
  const gain = meanOf(differences);
  const extraCalls = meanOf(pattern.calls) - meanOf(baseline.calls);
  return {
    gain,
    wins,
    losses,
    p: signTest(wins, losses),
    extraCalls,
    ...(extraCalls > 1e-9 ? { gainPerExtraCall: gain / extraCalls } : {}),
  };
}

export function meanOf(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, one) => sum + one, 0) / values.length;
}
