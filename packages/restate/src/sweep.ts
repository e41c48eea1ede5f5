import type { Driver } from 'flyball';
import type { Deliveries } from './deliveries.js';
import type { Drivers } from './drivers.js';
import type { Settings } from './options.js';

const MOST = 100;

/** Does something twice within `sweepMs`, never twice at once. */
export interface Sweep {
  now(): Promise<void>;
  /** Resolves when nothing is under way any more. */
  close(): Promise<void>;
}

/** `work` is told whether it is to stop. */
export function sweep({ sweepMs }: Settings, work: (isStopped: () => boolean) => Promise<void>): Sweep {
  let working: Promise<void> | undefined;
  let isStopped = false;
  const now = (): Promise<void> => {
    working ??= work(() => isStopped).finally(() => {
      working = undefined;
    });
    return working;
  };
  const timer = setInterval(() => void now(), sweepMs / 2);
  timer.unref();
  return {
    now,
    async close() {
      isStopped = true;
      clearInterval(timer);
      await working;
    },
  };
}

/** How far the looks of a driver came. */
interface Place {
  /** Behind all that was due so far: what comes behind it became due since. */
  front?: string | undefined;
  /** In a round over all that is due, a page with each look. */
  round?: string | undefined;
}

/**
 * Hands over runs that are due and that nobody works on: those of a process that died between storing a run and handing it
 * over, those that were told something by somebody without a dispatcher, and everything, where Restate has lost its own
 * storage. What Restate knows of, it takes no second time. It looks twice within `sweepMs`, for runs that have been due for
 * half as long, so that each is found within `sweepMs`; however many runs wait in Restate for a place under a limit, each
 * look gets to those that have become due since the last one.
 */
export function overdueHandedTo(
  deliveries: Deliveries,
  { sweepMs, onProblem }: Settings,
  drivers: Drivers,
): (isStopped: () => boolean) => Promise<void> {
  const places = new WeakMap<Driver, Place>();
  const page = async (driver: Driver, cursor: string | undefined): Promise<string | undefined> => {
    const behind = cursor === undefined ? {} : { cursor };
    const found = await driver.overdue({ forMs: sweepMs / 2, limit: MOST, ...behind });
    for (const { id, updatedAt } of found.runs) await deliveries.send(id, `${id} ${updatedAt}`);
    return found.cursor;
  };
  return async (isStopped) => {
    try {
      for (const driver of drivers) {
        const place = places.get(driver) ?? {};
        places.set(driver, place);
        for (
          let next = await page(driver, place.front);
          next !== undefined && !isStopped();
          next = await page(driver, next)
        )
          place.front = next;
        place.round = await page(driver, place.round);
      }
    } catch (error) {
      onProblem(error, 'looking for runs that Restate was not told of');
    }
  };
}
