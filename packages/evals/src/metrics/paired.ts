import { ConfigError } from 'flyball';
import type { SimulationRecord } from '../results/simulation-record.js';
import { bootstrapMean, type Interval } from './bootstrap.js';
import { byTask, type Condition, succeeded } from './condition.js';
import { mersenneTwister } from './mersenne-twister.js';

/** Two conditions over the tasks that both ran. */
export interface PairedComparison {
  readonly first: string;
  readonly second: string;
  readonly tasks: number;
  /** Mean of second minus first, by task. */
  readonly difference: Interval;
  /** Tasks where the second is better, worse, equal. */
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Exact two-sided sign test over the tasks that differ; with one trial a task this is McNemar's test. */
  readonly signP: number;
  /** Two-sided permutation test of the mean difference: signs of the differences are drawn at random. */
  readonly permutationP: number;
  /** What differs between the two beside the thing compared, and tasks that only one of them ran. */
  readonly caveats: readonly string[];
}

export type Score = (simulation: SimulationRecord) => number | null;

export const success: Score = (simulation) => (succeeded(simulation) ? 1 : 0);

/** Compares two conditions task by task, with a confidence interval and a sign test. */
export function comparePaired(
  first: Condition,
  second: Condition,
  { score = success, seed = 1, resamples = 2000 }: { score?: Score; seed?: number; resamples?: number } = {},
): PairedComparison {
  checkComparable(first, second);
  const differences = differencesOf(first, second, score);
  const difference = bootstrapMean(
    differences.map((one) => [one]),
    { seed, resamples },
  );
  if (difference === null)
    throw new ConfigError(
      `${first.label} and ${second.label} have no task in common that both scored: run them on the same tasks.`,
    );
  const wins = differences.filter((one) => one > 0).length;
  const losses = differences.filter((one) => one < 0).length;
  return {
    first: first.label,
    second: second.label,
    tasks: differences.length,
    difference,
    wins,
    losses,
    ties: differences.length - wins - losses,
    signP: signTest(wins, losses),
    permutationP: permutationTest(differences, seed, resamples),
    caveats: caveatsOf(first, second),
  };
}

/** Whether there is anything to compare: a task that both scored. */
export function isComparable(first: Condition, second: Condition, score: Score = success): boolean {
  return first.domain.name === second.domain.name && differencesOf(first, second, score).length > 0;
}

/** Second minus first, for each task that both scored, in order of task id. */
function differencesOf(first: Condition, second: Condition, score: Score): readonly number[] {
  const before = byTask(first.scored);
  const after = byTask(second.scored);
  return [...before.keys()].sort().flatMap((task) => {
    const a = meanScore(before.get(task) ?? [], score);
    const b = meanScore(after.get(task) ?? [], score);
    return a === undefined || b === undefined ? [] : [b - a];
  });
}

function meanScore(simulations: readonly SimulationRecord[], score: Score): number | undefined {
  const scores = simulations.map(score).filter((one) => one !== null);
  return scores.length === 0 ? undefined : scores.reduce((sum, one) => sum + one, 0) / scores.length;
}

/** Probability of a split at least this uneven when both sides are equally likely. */
export function signTest(wins: number, losses: number): number {
  const n = wins + losses;
  if (n === 0) return 1;
  let tail = 0;
  // summed as logarithms: 97 over 48 does not fit a product of floats well
  for (let k = 0; k <= Math.min(wins, losses); k++) tail += Math.exp(logChoose(n, k) - n * Math.LN2);
  return Math.min(1, 2 * tail);
}

function logChoose(n: number, k: number): number {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log(n - k + i) - Math.log(i);
  return sum;
}

function permutationTest(differences: readonly number[], seed: number, resamples: number): number {
  const random = mersenneTwister(seed);
  const observed = Math.abs(differences.reduce((sum, one) => sum + one, 0));
  let asFar = 0;
  for (let round = 0; round < resamples; round++) {
    const drawn = differences.reduce((sum, one) => sum + (random() < 0.5 ? -one : one), 0);
    if (Math.abs(drawn) >= observed - 1e-12) asFar++;
  }
  // the observed split is one of the possible ones, so the probability is never nought
  return (asFar + 1) / (resamples + 1);
}

function caveatsOf(first: Condition, second: Condition): readonly string[] {
  const differs = (['model', 'agent', 'retrieval'] as const).filter((field) => first[field] !== second[field]);
  const before = byTask(first.scored);
  const after = byTask(second.scored);
  const onlyOne =
    [...before.keys()].filter((task) => !after.has(task)).length +
    [...after.keys()].filter((task) => !before.has(task)).length;
  return [
    ...(differs.length > 1 ? [`they differ in ${differs.join(' and ')}, so the difference has no single cause`] : []),
    ...(onlyOne > 0 ? [`${onlyOne} task${onlyOne === 1 ? '' : 's'} that only one of them ran left out`] : []),
  ];
}

function checkComparable(first: Condition, second: Condition): void {
  if (first.domain.name === second.domain.name) return;
  throw new ConfigError(
    `${first.label} ran ${first.domain.name} and ${second.label} ran ${second.domain.name}: compare results of one domain.`,
  );
}
