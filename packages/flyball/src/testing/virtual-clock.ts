import { AsyncResource } from 'node:async_hooks';
import type { Clock } from '../ports/clock.js';
import { TimerQueue } from './timer-queue.js';
import { turns } from './turns.js';

/** A clock that stands still until a test moves it. */
export interface VirtualClock extends Clock {
  /** Moves time on by `ms`, firing due timers in order; run code reacts to each before the next one fires. */
  advance(ms: number): Promise<void>;
  /** Moves time to the next timer and fires it; false when there is none. */
  advanceToNext(): Promise<boolean>;
  /** Sets what `now` shows by `ms`, either way, as a person or a time server does. No time passes: timers stay. */
  jump(ms: number): void;
  /** When the open timers are due, earliest first. */
  pending(): readonly number[];
}

/** 1 January 2026: a fixed start, so that recorded times are the same in every test run. */
export const VIRTUAL_START = Date.UTC(2026, 0, 1);

/** A clock that only moves when a test advances it. */
export function virtualClock(start: number = VIRTUAL_START): VirtualClock {
  const queue = new TimerQueue(start);
  let set = 0;

  async function fireUntil(limit: number): Promise<boolean> {
    await turns(); // work started just before may still be about to set its timers
    const fired = queue.fireNext(limit);
    if (fired) await turns();
    return fired;
  }

  return {
    now: () => queue.now + set,
    monotonic: () => queue.now - start,
    jump(ms) {
      set += ms;
    },
    after: (ms, callback, options) => queue.add(ms, AsyncResource.bind(callback), options),
    pending: () => queue.dueTimes().map((due) => due + set),
    advanceToNext: () => fireUntil(Number.POSITIVE_INFINITY),
    async advance(ms) {
      const target = queue.now + ms;
      while (await fireUntil(target)) {
        // each round fires one timer; the last one finds none before the target
      }
      queue.moveTo(target);
    },
  };
}
