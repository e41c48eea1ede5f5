import type { Deliveries } from './deliveries.js';
import type { Drivers } from './drivers.js';
import type { Settings } from './options.js';

const MOST = 100;

/**
 * Looks now and then for runs that are due and that nobody works on: those of a process that died between storing a run and
 * handing it over, those that were told something by somebody without a dispatcher, and everything, where Restate has lost
 * its own storage. What Restate knows of, it takes no second time.
 */
export function sweep({ sweepMs, onProblem }: Settings, drivers: Drivers, deliveries: Deliveries): () => void {
  const look = async (): Promise<void> => {
    for (const driver of drivers)
      for (const { id, updatedAt } of await driver.overdue({ forMs: sweepMs, limit: MOST }))
        await deliveries.send(id, `${id} ${updatedAt}`);
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    look()
      .catch((error: unknown) => onProblem(error, 'looking for runs that Restate was not told of'))
      .finally(() => {
        isLooking = false;
      });
  }, sweepMs);
  timer.unref();
  return () => clearInterval(timer);
}
