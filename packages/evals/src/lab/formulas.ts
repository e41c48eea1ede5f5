/** Closed forms. `exactly` gives the same numbers by counting; a test holds one against the other. */

export function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return result;
}

/** P(at least `need` of n succeed). */
export function atLeast(need: number, n: number, p: number): number {
  let sum = 0;
  for (let k = need; k <= n; k++) sum += choose(n, k) * p ** k * (1 - p) ** (n - k);
  return sum;
}

/** How the votes of n samples can be split over `kinds` answers, most of them in the order of the answers. */
function* splits(n: number, kinds: number): Generator<readonly number[]> {
  if (kinds === 1) {
    yield [n];
    return;
  }
  for (let first = 0; first <= n; first++) for (const rest of splits(n - first, kinds - 1)) yield [first, ...rest];
}

/**
 * The right answer has most votes: p against m wrong answers that are equally likely. Of answers with as many votes the one
 * wins that was given first, which is each of them equally often. Samples that abstain have no vote.
 */
export function plurality(n: number, p: number, wrong: number, abstains = 0): number {
  let sum = 0;
  for (const [silent = 0, right = 0, ...others] of splits(n, wrong + 2)) {
    const most = Math.max(right, ...others);
    if (right !== most || right === 0) continue;
    let ways = 1;
    let left = n;
    for (const count of [silent, right, ...others]) {
      ways *= choose(left, count);
      left -= count;
    }
    const ties = 1 + others.filter((count) => count === most).length;
    const votes = ((1 - abstains) * p) ** right * (((1 - abstains) * (1 - p)) / wrong) ** (n - silent - right);
    sum += (ways * abstains ** silent * votes) / ties;
  }
  return sum;
}

/** The same where p of an item is from Beta(a, b), whole numbers: by Simpson's rule. */
export function pluralityOver(n: number, { a, b }: { readonly a: number; readonly b: number }, wrong: number): number {
  const steps = 400;
  const density = (x: number): number => x ** (a - 1) * (1 - x) ** (b - 1);
  let [sum, whole] = [0, 0];
  for (let i = 0; i <= steps; i++) {
    const x = i / steps;
    const weight = i === 0 || i === steps ? 1 : i % 2 === 1 ? 4 : 2;
    sum += weight * density(x) * plurality(n, x, wrong);
    whole += weight * density(x);
  }
  return sum / whole;
}

/** k successes with at most `spare` failures before the last of them. */
export function withSpares(k: number, spare: number, error: number): number {
  let sum = 0;
  for (let j = 0; j <= spare; j++) sum += choose(k - 1 + j, j) * (1 - error) ** k * error ** j;
  return sum;
}

/** One of several paths answers: each fails with its own probability. */
export function anyOf(failures: readonly number[]): number {
  return 1 - failures.reduce((product, f) => product * f, 1);
}

/** Walks a corridor of `length` from its start, forward with p, else back: P(at the end within `steps`). */
export function corridor(
  length: number,
  p: number,
  steps: number,
): { readonly reached: number; readonly at: readonly number[] } {
  let place: number[] = [1, ...Array.from({ length }, () => 0)];
  const at: number[] = [];
  for (let step = 0; step < steps; step++) {
    const next = place.map(() => 0);
    for (let x = 0; x < length; x++) {
      const here = place[x] ?? 0;
      next[x + 1] = (next[x + 1] ?? 0) + here * p;
      const back = Math.max(0, x - 1);
      next[back] = (next[back] ?? 0) + here * (1 - p);
    }
    at.push(next[length] ?? 0);
    next[length] = 0;
    place = next;
  }
  return { reached: at.reduce((sum, chance) => sum + chance, 0), at };
}
