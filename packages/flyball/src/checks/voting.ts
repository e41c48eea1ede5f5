import { canonicalJson } from '../core/canonical.js';

/** Who won a vote, and how clearly. Pure: the samples were drawn before. */
export interface Vote {
  /** Index of the sample that agrees best with the others; the first of equals. */
  readonly best: number;
  /** Agreement, over all samples that were asked for. Not a probability of being right. */
  readonly score: number;
  /** By how much it is ahead of the next answer. */
  readonly margin: number;
  /** Another answer is as good. */
  readonly tie: boolean;
  /** Index of the first vote for the next best answer, where votes are counted. */
  readonly runnerUp?: number;
}

/** A sample that failed abstains: it votes for nothing and still counts among those that were asked. */
export type Ballot = string | undefined;

/** Equal answers, once normalized, are one answer. Undefined when nobody voted. */
export function majority(ballots: readonly Ballot[], normalize: (text: string) => string): Vote | undefined {
  const groups = new Map<string, { readonly first: number; count: number }>();
  for (const [index, ballot] of ballots.entries()) {
    if (ballot === undefined) continue;
    const answer = normalize(ballot);
    const group = groups.get(answer) ?? { first: index, count: 0 };
    groups.set(answer, group);
    group.count++;
  }
  const [winner, next] = [...groups.values()].sort((a, b) => b.count - a.count || a.first - b.first);
  if (winner === undefined) return undefined;
  const margin = (winner.count - (next?.count ?? 0)) / ballots.length;
  const runnerUp = next === undefined ? {} : { runnerUp: next.first };
  return { best: winner.first, score: winner.count / ballots.length, margin, tie: margin === 0, ...runnerUp };
}

/** `similarity(i, j)` of two samples that voted; with one that abstained nothing is similar. */
export function closest(ballots: readonly Ballot[], similarity: (i: number, j: number) => number): Vote | undefined {
  const averages = ballots.flatMap((ballot, at) => {
    if (ballot === undefined) return [];
    const others = ballots.map((other, index) => (other === undefined || index === at ? 0 : similarity(at, index)));
    return [{ at, average: others.reduce((sum, value) => sum + value, 0) / Math.max(1, ballots.length - 1) }];
  });
  const [winner, next] = averages.sort((a, b) => b.average - a.average || a.at - b.at);
  if (winner === undefined) return undefined;
  const margin = winner.average - (next?.average ?? 0);
  // two samples that say the same are one answer twice, and no tie
  const isSame = next !== undefined && ballots[winner.at] === ballots[next.at];
  return { best: winner.at, score: winner.average, margin, tie: margin === 0 && next !== undefined && !isSame };
}

/** As it stands, but for white space. */
export function plainText(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ');
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
