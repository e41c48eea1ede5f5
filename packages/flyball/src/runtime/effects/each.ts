import { CancelledError, ConfigError } from '../../core/errors.js';
import type { Arrived, Instant } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { Fan, type Fanned } from './fan.js';
import { sleep } from './wait.js';

type Given<T> = Pick<Fanned<T>, 'branches' | 'width' | 'run'>;

/** Results as they come. The branches begin when somebody begins to read, and go on while the reader does something else. */
export function each<T>(attempt: Attempt, scope: Scope, given: Given<T>): AsyncIterable<Arrived<T>> {
  return {
    [Symbol.asyncIterator]: () => {
      let reading: Reading<T> | undefined;
      return {
        next: async () => {
          reading ??= new Reading(new Fan(attempt, scope, { ...given, name: 'each', whenLeft: 'the loop was left' }));
          return reading.next(given.branches.length);
        },
        return: async () => {
          await reading?.end();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** What has come and was not read, or who waits for what has not come. */
class Reading<T> {
  private readonly fan: Fan<T>;
  private readonly come: Arrived<T>[] = [];
  private readonly readers: ((result: IteratorResult<Arrived<T>, undefined>) => void)[] = [];
  private handed = 0;
  private isOver = false;
  /** Settles when everything that was asked for has come. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(fan: Fan<T>) {
    this.fan = fan;
    fan.begin((arrived) => {
      const reader = this.readers.shift();
      if (reader === undefined) this.come.push(arrived);
      else reader({ done: false, value: arrived });
    });
  }

  async next(all: number): Promise<IteratorResult<Arrived<T>, undefined>> {
    if (this.handed < all && !this.isOver) {
      this.handed++;
      const ready = this.come.shift();
      if (ready !== undefined) return { done: false, value: ready };
      const coming = new Promise<IteratorResult<Arrived<T>, undefined>>((resolve) => this.readers.push(resolve));
      this.last = coming;
      return coming;
    }
    await this.last; // asked for ahead of what has not come yet
    await this.end();
    return { done: true, value: undefined };
  }

  /** Whoever still waits is told that nothing comes any more. */
  async end(): Promise<void> {
    if (this.isOver) return;
    this.isOver = true;
    await this.fan.leave();
    for (const reader of this.readers.splice(0)) reader({ done: true, value: undefined });
  }
}

/** So many of them: until they have succeeded, all have settled, or the deadline has come. */
export async function some<T>(
  attempt: Attempt,
  scope: Scope,
  given: Given<T> & { readonly need: number; readonly deadline: Instant | undefined },
): Promise<readonly Arrived<T>[]> {
  const { branches, need, deadline } = given;
  if (!(Number.isInteger(need) && need >= 1 && need <= branches.length))
    throw new ConfigError(`need must be a whole number from 1 to the ${branches.length} branches, got ${need}.`);
  const fan = new Fan(attempt, scope, { ...given, name: 'some', whenLeft: 'the others were enough' });
  const arrived: Arrived<T>[] = [];
  const timer = attempt.effects.scope(`${fan.group}/deadline`, scope);
  await new Promise<void>((resolve) => {
    const decide = (): void => {
      fan.stop();
      resolve();
    };
    if (deadline !== undefined)
      sleep(attempt, timer, Math.max(0, deadline - attempt.delivery.time.now)).then(decide, () => undefined);
    fan.begin((one) => {
      arrived.push(one);
      if (arrived.filter(({ ok }) => ok).length === need || arrived.length === branches.length) decide();
    });
  });
  attempt.effects.close(timer.path, new CancelledError('the others were enough'));
  await fan.leave();
  return arrived;
}
