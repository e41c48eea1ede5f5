/**
 * Begins the work and marks its promise as handled, as the run does with its own: code that does not await it at the
 * moment a bound or a cancellation rejects it must not bring the process down. Whoever awaits it still gets the error.
 */
export function handled<T>(work: () => Promise<T>): Promise<T> {
  const promise = work();
  promise.catch(() => undefined);
  return promise;
}
