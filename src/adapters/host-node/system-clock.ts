import type { Clock } from '../../ports/clock.js';

/** Node fires a longer timer at once, so a wait of months goes in stages. */
const LONGEST_MS = 2 ** 31 - 1;

export function systemClock(): Clock {
  return {
    now: () => Date.now(),
    after(ms, callback, { keepAlive = true } = {}) {
      const due = Date.now() + ms;
      let timer: NodeJS.Timeout;
      const wait = (leftMs: number): void => {
        const stage = Math.min(Math.max(leftMs, 0), LONGEST_MS);
        timer = setTimeout(() => (leftMs > LONGEST_MS ? wait(due - Date.now()) : callback()), stage);
        if (!keepAlive) timer.unref();
      };
      wait(ms);
      return () => clearTimeout(timer);
    },
  };
}
