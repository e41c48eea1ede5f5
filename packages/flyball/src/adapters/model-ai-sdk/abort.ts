/**
 * Runs work under a signal of its own that follows the caller's. What fetch and the SDK hang on a signal they leave
 * there, and the caller's may be shared by every call of a run; ours goes with the call.
 */
export function underSignal<T>(signal: AbortSignal, work: (own: AbortSignal) => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const own = new AbortController();
    const stop = (): void => signal.removeEventListener('abort', onAbort);
    const onAbort = (): void => {
      stop();
      reject(signal.reason);
      own.abort(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    work(own.signal).then(
      (value) => {
        stop();
        resolve(value);
      },
      (error: unknown) => {
        stop();
        reject(error);
      },
    );
  });
}
