import { ConfigError } from 'flyball';
import { bootstrapMean, type Interval, quantile } from '../metrics/bootstrap.js';
import { mersenneTwister } from '../metrics/mersenne-twister.js';

/** Two raters about the same case: a judge and a person, or a judge twice. */
export interface RatedPair {
  readonly case: string;
  readonly first: string;
  readonly second: string;
}

/** How far two raters agree. */
export interface Agreement {
  readonly cases: number;
  readonly percent: Interval;
  /** Cohen's: agreement beyond what chance gives; 1 is perfect, 0 is chance, below is worse. */
  readonly kappa: number;
  readonly kappaInterval: readonly [number, number];
  /** Krippendorff's, for nominal labels. */
  readonly alpha: number;
  /** How often each pair of labels was given: rows are the first rater's. */
  readonly confusion: ReadonlyMap<string, ReadonlyMap<string, number>>;
}

/** How far two raters agree, with confidence intervals. */
export function agreementOf(
  pairs: readonly RatedPair[],
  { seed = 1, resamples = 1000 }: { readonly seed?: number; readonly resamples?: number } = {},
): Agreement {
  checkPairs(pairs);
  const percent = bootstrapMean(
    pairs.map(({ first, second }) => [first === second ? 1 : 0]),
    { seed, resamples },
  );
  if (percent === null) throw new ConfigError('There are no cases that both raters rated.');
  return {
    cases: pairs.length,
    percent,
    kappa: kappaOf(pairs),
    kappaInterval: kappaInterval(pairs, seed, resamples),
    alpha: alphaOf(pairs),
    confusion: confusionOf(pairs),
  };
}

/** A case that is there twice would count twice. */
function checkPairs(pairs: readonly RatedPair[]): void {
  const seen = new Set<string>();
  for (const pair of pairs) {
    if (seen.has(pair.case)) throw new ConfigError(`Case "${pair.case}" is rated twice by the same two raters.`);
    seen.add(pair.case);
  }
}

export function kappaOf(pairs: readonly RatedPair[]): number {
  const n = pairs.length;
  const observed = pairs.filter(({ first, second }) => first === second).length / n;
  const firsts = counts(pairs.map(({ first }) => first));
  const seconds = counts(pairs.map(({ second }) => second));
  const chance = [...firsts].reduce((sum, [label, count]) => sum + (count / n) * ((seconds.get(label) ?? 0) / n), 0);
  // both always say the same one thing: they agree, and there is nothing that chance could have spoilt
  return chance === 1 ? 1 : (observed - chance) / (1 - chance);
}

function kappaInterval(pairs: readonly RatedPair[], seed: number, resamples: number): readonly [number, number] {
  const random = mersenneTwister(seed);
  const drawn = Array.from({ length: resamples }, () =>
    kappaOf(pairs.flatMap(() => pairs[Math.floor(random() * pairs.length)] ?? [])),
  ).sort((a, b) => a - b);
  return [quantile(drawn, 0.025), quantile(drawn, 0.975)];
}

/** 1 − observed over expected disagreement, with both raters' labels in one pool. */
function alphaOf(pairs: readonly RatedPair[]): number {
  const pool = counts(pairs.flatMap(({ first, second }) => [first, second]));
  const n = 2 * pairs.length;
  const differing = [...pool.values()].reduce((sum, count) => sum + count * (n - count), 0);
  if (differing === 0) return 1;
  const observed = pairs.filter(({ first, second }) => first !== second).length / pairs.length;
  return 1 - observed / (differing / (n * (n - 1)));
}

function confusionOf(pairs: readonly RatedPair[]): ReadonlyMap<string, ReadonlyMap<string, number>> {
  const rows = new Map<string, Map<string, number>>();
  for (const { first, second } of pairs) {
    const row = rows.get(first) ?? new Map<string, number>();
    rows.set(first, row.set(second, (row.get(second) ?? 0) + 1));
  }
  return rows;
}

function counts(labels: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const label of labels) found.set(label, (found.get(label) ?? 0) + 1);
  return found;
}

/** Spearman's rank correlation of two scores of the same cases; ties share their rank. 0 where one never varies. */
export function spearman(pairs: readonly (readonly [number, number])[]): number {
  const [x, y] = [ranks(pairs.map(([a]) => a)), ranks(pairs.map(([, b]) => b))];
  const centre = (x.length + 1) / 2;
  let [both, squaresX, squaresY] = [0, 0, 0];
  x.forEach((rank, index) => {
    const [dx, dy] = [rank - centre, (y[index] ?? centre) - centre];
    both += dx * dy;
    squaresX += dx * dx;
    squaresY += dy * dy;
  });
  return squaresX === 0 || squaresY === 0 ? 0 : both / Math.sqrt(squaresX * squaresY);
}

function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((value, index) => ({ value, index })).sort((a, b) => a.value - b.value);
  const found = Array<number>(values.length).fill(0);
  for (let from = 0; from < order.length; ) {
    let until = from;
    while (until < order.length && order[until]?.value === order[from]?.value) until++;
    for (const { index } of order.slice(from, until)) found[index] = (from + 1 + until) / 2;
    from = until;
  }
  return found;
}
