import type { Clock } from '../ports/clock.js';

const AT_EVERY_TURN = 100;
const LOOK_MS = 5;

/**
 * Looks until something is over that nothing tells of: at every turn at first, because it usually takes a few. What
 * takes longer may take minutes, and whoever looked at every turn would take a whole core for it.
 */
export async function until(isOver: () => boolean, clock: Pick<Clock, 'after'>): Promise<void> {
  for (let looks = 0; !isOver(); looks++)
    await new Promise<void>((resolve) => {
      if (looks < AT_EVERY_TURN) setImmediate(resolve);
      else clock.after(LOOK_MS, resolve);
    });
}
