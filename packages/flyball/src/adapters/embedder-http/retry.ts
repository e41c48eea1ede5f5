import { FlyballError } from '../../core/errors.js';

export interface Pause {
  readonly ms: number;
  /** The provider wants to be left alone for longer than we are willing to wait. */
  readonly tooLong: boolean;
}

const BASE_MS = 500;

export function isRetryable(error: unknown): boolean {
  return error instanceof FlyballError && error.retryable;
}

/** As long as the provider asks for, else twice as long as before. */
export function pauseBefore(tries: number, error: unknown, { maxWaitMs }: { readonly maxWaitMs: number }): Pause {
  const asked = error instanceof FlyballError ? error.detail['retryAfterMs'] : undefined;
  if (typeof asked === 'number') return { ms: asked, tooLong: asked > maxWaitMs };
  return { ms: Math.min(maxWaitMs, BASE_MS * 2 ** tries), tooLong: false };
}

export function waited(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
}

/** How long the provider wants to be left alone: milliseconds, seconds, or an HTTP date. */
export function retryAfterMs(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  now: number,
): number | undefined {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const given = headers['retry-after'];
  if (typeof given !== 'string' || given.trim() === '') return undefined;
  const seconds = Number(given);
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : Math.ceil(seconds * 1000);
  const at = Date.parse(given);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}
