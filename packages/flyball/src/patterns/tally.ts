import { majority, plainText } from '../checks/voting.js';
import { canonicalJson } from '../core/canonical.js';

/** How a vote over several answers came out. */
export interface Tally {
  /** Place of the winner among the ballots; the first of those that agree. */
  readonly winner: number;
  /** Its share of all that were asked, those that abstained included. Says nothing of whether it is right. */
  readonly agreement: number;
  /** By how much of all it is ahead of the next answer. */
  readonly margin: number;
  /** Another answer has as many votes. */
  readonly isTie: boolean;
  /** Place of the first vote for the next best answer. */
  readonly runnerUp?: number;
}

/** Which of equal answers a vote is for. Undefined: it abstains. */
export type Ballot = string | undefined;

/** Counts ballots; undefined where nobody voted. */
export function tally(ballots: readonly Ballot[]): Tally | undefined {
  const vote = majority(ballots, (key) => key);
  if (vote === undefined) return undefined;
  const others = ballots.map((ballot) => (ballot === ballots[vote.best] ? undefined : ballot));
  const next = majority(others, (key) => key);
  return {
    winner: vote.best,
    agreement: vote.score,
    margin: vote.margin,
    isTie: vote.tie,
    ...(next === undefined ? {} : { runnerUp: next.best }),
  };
}

/** Equal values have equal keys: texts but for white space, everything else by what it holds. */
export function keyOf(value: unknown): string {
  return typeof value === 'string' ? plainText(value) : canonicalJson(value);
}

/** One key for each group of values that `same` takes for one; each is held against the first of every group before it. */
export function keysBy<T>(
  values: readonly (T | undefined)[],
  isGiven: (index: number) => boolean,
  same: (a: T, b: T) => boolean,
): readonly Ballot[] {
  const firsts: number[] = [];
  return values.map((value, index) => {
    if (!isGiven(index)) return undefined;
    const known = firsts.find((first) => same(values[first] as T, value as T));
    if (known === undefined) firsts.push(index);
    return String(known ?? index);
  });
}
