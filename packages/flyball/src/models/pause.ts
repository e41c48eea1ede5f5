import type { Clock } from '../ports/clock.js';

/** Waits on the clock. An abort ends the wait at once, and takes back the timer. */
export function pause(clock: Clock, at: { readonly ms: number; readonly signal: AbortSignal }): Promise<void> {
  return new Promise((resolve, reject) => {
    at.signal.throwIfAborted();
    const over = (): void => {
      at.signal.removeEventListener('abort', aborted);
      resolve();
    };
    const aborted = (): void => {
      cancel();
      reject(at.signal.reason);
    };
    const cancel = clock.after(at.ms, over);
    at.signal.addEventListener('abort', aborted, { once: true });
  });
}
