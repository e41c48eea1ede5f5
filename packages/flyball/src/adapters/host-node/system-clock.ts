import type { Clock } from '../../ports/clock.js';

/** Node fires a longer timer at once, so a wait of months goes in stages. */
const LONGEST_MS = 2 ** 31 - 1;

const monotonic = (): number => Math.trunc(performance.now());

/** The clock of the machine. */
export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    monotonic,
    after(ms, callback, { keepAlive = true } = {}) {
      const due = monotonic() + ms;
      let timer: NodeJS.Timeout;
      const wait = (leftMs: number): void => {
        const stage = Math.min(Math.max(leftMs, 0), LONGEST_MS);
        timer = setTimeout(() => (leftMs > LONGEST_MS ? wait(due - monotonic()) : callback()), stage);
        if (!keepAlive) timer.unref();
      };
      wait(ms);
      return () => clearTimeout(timer);
    },
  };
}
