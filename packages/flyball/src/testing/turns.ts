import { setImmediate as nextTurn } from 'node:timers/promises';
import { effectContext } from '../runtime/effect-context.js';

/** Enough for a journal write that is grouped over a turn, its delivery, and the code that reacts to it. */
export const SETTLE_TURNS = 4;

/** Lets `count` macrotasks pass, outside any run's context: the kit's own waiting is nobody's foreign await. */
export function turns(count: number = SETTLE_TURNS): Promise<void> {
  return effectContext.exit(async () => {
    for (let turn = 0; turn < count; turn++) await nextTurn();
  });
}
