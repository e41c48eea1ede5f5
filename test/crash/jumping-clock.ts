import { type AutoClock, autoClock } from 'flyball/testing';
import type { AutoClockOptions } from '../../packages/flyball/src/testing/auto-clock.js';

/** A clock that somebody sets: what it shows jumps, and timers go on as a machine's do. */
export interface JumpingClock extends AutoClock {
  jump(ms: number): void;
  /** How far what it shows is off. */
  offset(): number;
}

export function jumpingClock(options: AutoClockOptions = {}): JumpingClock {
  const clock = autoClock(options);
  let offset = 0;
  return {
    ...clock,
    now: () => clock.now() + offset,
    jump: (ms) => {
      offset += ms;
    },
    offset: () => offset,
  };
}

/** Lets this much time pass. */
export function pass(clock: AutoClock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(Math.max(0, ms), resolve);
  });
}
