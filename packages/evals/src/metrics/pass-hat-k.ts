import { ConfigError } from 'flyball';

/** A reward counts as success when it is 1 up to what floats lose. */
export function isSuccessful(reward: number): boolean {
  return 1 - 1e-6 <= reward && reward <= 1 + 1e-6;
}

/** The chance that k trials drawn without replacement all succeed, for a task with `successes` in `trials`. */
export function passHatK(given: { readonly trials: number; readonly successes: number; readonly k: number }): number {
  const { trials, successes, k } = given;
  if (k > trials) throw new ConfigError(`pass^${k} needs at least ${k} trials of a task, and there are ${trials}.`);
  return combinations(successes, k) / combinations(trials, k);
}

/** Exact while it fits a float: the product is whole after every step. */
function combinations(of: number, taken: number): number {
  if (taken > of) return 0;
  let ways = 1;
  for (let i = 1; i <= Math.min(taken, of - taken); i++) ways = (ways * (of - i + 1)) / i;
  return ways;
}

/** pass^1 … pass^k over tasks: k goes up to the trials declared and to the least that any task has. */
export function passHatKs(byTask: Iterable<readonly boolean[]>, declaredTrials: number): ReadonlyMap<number, number> {
  const tasks = [...byTask];
  const most = tasks.length === 0 ? 0 : Math.min(declaredTrials, ...tasks.map((trials) => trials.length));
  const values = new Map<number, number>();
  for (let k = 1; k <= most; k++) {
    const each = tasks.map((trials) =>
      passHatK({ trials: trials.length, successes: trials.filter((success) => success).length, k }),
    );
    values.set(k, compensatedSum(each) / tasks.length);
  }
  return values;
}

/** Kahan's: the reference's data frames add like this, and the last digit shows it. */
function compensatedSum(values: readonly number[]): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = value - lost;
    const total = sum + next;
    lost = total - sum - next;
    sum = total;
  }
  return sum;
}
