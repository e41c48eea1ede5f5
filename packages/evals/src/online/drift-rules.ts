import { ConfigError } from 'flyball';
import { kolmogorovSmirnov, populationStability } from './distribution.js';
import { COHORT_FIELDS, type CohortField } from './trace-facts.js';

/** What kind of signal a rule watches: it decides who should look. */
export type SignalClass = 'quality' | 'safety' | 'cost' | 'input';

interface RuleBase {
  readonly name: string;
  readonly signal: SignalClass;
  readonly metric: string;
  /** Length of a window. At least an hour: shorter ones flap. */
  readonly windowMs: number;
  /** Fewer scores than this say nothing: 100. */
  readonly minScores?: number;
  /** Beside all traffic, each value of these is watched by itself. */
  readonly by?: readonly CohortField[];
  /** Who is told, and what they do: a rule without them is not registered. */
  readonly owner: string;
  readonly runbook: string;
}

/** When a metric counts as drifting: a fixed threshold, or a shift against the time before. */
export type DriftRule =
  /** The mean of a window is below (or above) a fixed value. */
  | (RuleBase & { readonly method: 'threshold'; readonly below?: number; readonly above?: number })
  /** The mean of a window moved by more than so many standard errors against the time before it, and by enough to matter. */
  | (RuleBase & {
      readonly method: 'sigma';
      readonly sigmas: number;
      readonly minEffect: number;
      readonly trailingMs: number;
    })
  /** The shape of the distribution moved: population stability index, or the Kolmogorov–Smirnov statistic. */
  | (RuleBase & { readonly method: 'psi' | 'ks'; readonly limit: number; readonly trailingMs: number });

/** What a rule found in a window. */
export type RuleVerdict =
  | { readonly verdict: 'ok' | 'drift'; readonly value: number; readonly against: number; readonly scores: number }
  | { readonly verdict: 'insufficient'; readonly scores: number; readonly needed: number };

export const MIN_SCORES = 100;
const MIN_WINDOW_MS = 3_600_000;

/** Returns the rule, or throws ConfigError if it cannot be applied. */
export function checkRule(rule: DriftRule): DriftRule {
  const refuse = (why: string): never => {
    throw new ConfigError(`The drift rule "${rule.name}" cannot be registered: ${why}.`);
  };
  if (rule.owner.trim() === '') refuse('it names no owner, so nobody would be told');
  if (rule.runbook.trim() === '') refuse('it names no runbook, so nobody would know what to do');
  if (!(rule.windowMs >= MIN_WINDOW_MS)) refuse('its window is shorter than an hour, so its alert would flap');
  if (rule.method === 'threshold' && rule.below === undefined && rule.above === undefined)
    refuse('it needs `below` or `above`');
  if (rule.method !== 'threshold' && !(rule.trailingMs > rule.windowMs))
    refuse('the time it compares with must be longer than its window');
  for (const field of rule.by ?? [])
    if (!COHORT_FIELDS.includes(field)) refuse(`"${field}" is not one of ${COHORT_FIELDS.join(', ')}`);
  return rule;
}

/** What a rule says of a window's values, beside those of the time before. Pure: the same values give the same verdict. */
export function applyRule(rule: DriftRule, values: readonly number[], before: readonly number[]): RuleVerdict {
  const needed = rule.minScores ?? MIN_SCORES;
  const compared = rule.method === 'threshold' ? values : before;
  const scores = Math.min(values.length, compared.length);
  if (scores < needed) return { verdict: 'insufficient', scores, needed };
  switch (rule.method) {
    case 'threshold':
      return thresholdVerdict(rule, values);
    case 'sigma':
      return sigmaVerdict(rule, values, before);
    case 'psi':
      return shapeVerdict(rule.limit, populationStability(before, values), values.length);
    case 'ks':
      return shapeVerdict(rule.limit, kolmogorovSmirnov(before, values), values.length);
  }
}

function thresholdVerdict(rule: DriftRule & { method: 'threshold' }, values: readonly number[]): RuleVerdict {
  const value = meanOf(values);
  const isBelow = rule.below !== undefined && value < rule.below;
  const isAbove = rule.above !== undefined && value > rule.above;
  const against = (isAbove ? rule.above : (rule.below ?? rule.above)) ?? 0;
  return { verdict: isBelow || isAbove ? 'drift' : 'ok', value, against, scores: values.length };
}

function sigmaVerdict(
  { sigmas, minEffect }: DriftRule & { method: 'sigma' },
  values: readonly number[],
  before: readonly number[],
): RuleVerdict {
  const value = meanOf(values);
  const against = meanOf(before);
  const error = Math.sqrt(varianceOf(before) * (1 / values.length + 1 / before.length));
  const moved = Math.abs(value - against);
  const isFar = error === 0 ? moved > 0 : moved / error > sigmas;
  return { verdict: isFar && moved >= minEffect ? 'drift' : 'ok', value, against, scores: values.length };
}

function shapeVerdict(limit: number, value: number, scores: number): RuleVerdict {
  return { verdict: value > limit ? 'drift' : 'ok', value, against: limit, scores };
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[]): number {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1);
}
