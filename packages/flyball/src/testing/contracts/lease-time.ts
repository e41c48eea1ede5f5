import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

/** A lease that a test lets end: short, because it may have to wait for it. Nothing relies on one that is still held. */
export const SHORT_MS = 50;
/** Timers of Node may come a little early, and the clock of a store may be coarse. */
const MARGIN_MS = 5;
/** How far the clock of a store may be behind itself, where it is coarse. */
const COARSE_MS = 1_000;
/** How much time may pass on it while a test is at work, beyond what the test lets pass. */
const UNSEEN_MS = 8_000;

/** The time that leases of the tested engine go by: that of the callers, which is made up, or that of the store, which passes. */
export interface LeaseTime {
  /** A lease ends in the very millisecond in which it has to: the callers' time is the time of leases. */
  readonly isExact: boolean;
  /** What time it is for the callers. */
  readonly now: number;
  /** Lets time pass, for leases and for callers. */
  pass(ms: number): Promise<void>;
  /** What the engine tells in the callers' time. By a clock of its own, more time may have passed since `by` was settled. */
  isAt(told: number | undefined, by: number): void;
  /** What the engine tells in the time of leases: the end of something that began at this time and holds for so long. */
  ends(told: number | undefined, began: number, forMs: number): void;
}

/** Leases go by the time that callers say it is. */
export function callersTime(start: number): LeaseTime {
  let now = start;
  return {
    isExact: true,
    get now() {
      return now;
    },
    async pass(ms) {
      now += ms;
    },
    isAt: (told, by) => assert.equal(told, by),
    ends: (told, began, forMs) => assert.equal(told, began + forMs),
  };
}

/** Leases go by a clock of the engine's own: nobody here can read it, so the ends of leases are compared with each other. */
export function ownTime(start: number, wait: (ms: number) => Promise<unknown> = pause): LeaseTime {
  let now = start;
  let first: number | undefined;
  return {
    isExact: false,
    get now() {
      return now;
    },
    async pass(ms) {
      await wait(ms + MARGIN_MS);
      now += ms;
    },
    isAt(told, by) {
      const late = by - (told ?? Number.NaN);
      assert.ok(late >= -COARSE_MS && late <= UNSEEN_MS, `it tells ${told}, which is ${late} ms before ${by}`);
    },
    ends(told, began, forMs) {
      const ahead = (told ?? Number.NaN) - began - forMs;
      first ??= ahead;
      const apart = Math.abs(ahead - first);
      const about = `a lease of ${forMs} ms ends at ${told}: ${apart} ms off, compared with another lease`;
      assert.ok(apart <= UNSEEN_MS, about);
    },
  };
}
