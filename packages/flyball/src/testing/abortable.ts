import type { Clock } from '../ports/clock.js';

/** The work's result, or a rejection with the reason of the abort, whichever comes first. Leaves no listener behind. */
export async function orAborted<T>(signal: AbortSignal, work: PromiseLike<T>): Promise<T> {
  signal.throwIfAborted();
  let stopListening = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    const listener = (): void => reject(signal.reason);
    signal.addEventListener('abort', listener, { once: true });
    stopListening = () => signal.removeEventListener('abort', listener);
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    stopListening();
  }
}

/** Waits on the clock; an abort ends the wait and takes the timer back. */
export async function pauseOn(clock: Clock, at: { readonly ms: number; readonly signal: AbortSignal }): Promise<void> {
  let cancel = (): void => {};
  const over = new Promise<void>((resolve) => {
    cancel = clock.after(at.ms, resolve);
  });
  try {
    await orAborted(at.signal, over);
  } finally {
    cancel();
  }
}
