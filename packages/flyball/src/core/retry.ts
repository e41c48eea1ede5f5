import { type Failure, FlyballError } from './errors.js';

/** How long to wait between tries. */
export interface Backoff {
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitterMs: number;
}

/** The wait before retry `retry` (0 is the first): min(maxDelayMs, baseDelayMs · 2^retry + U(0, jitterMs)). */
export function backoffMs(
  policy: Backoff,
  retry: number,
  /** A random number in [0, 1). */
  uniform: number,
): number {
  return Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** retry + uniform * policy.jitterMs);
}

/** What a code of the operating system, or of `fetch`, says about a request. */
interface Fault {
  /** The same request may succeed a moment later. */
  readonly passes: boolean;
  /** Something may have been sent: whoever was at the other end may have acted. */
  readonly sent: boolean;
}

/** The one list of them. A code that is not in it says nothing. */
const FAULTS: ReadonlyMap<unknown, Fault> = new Map([
  ['ECONNREFUSED', { passes: true, sent: false }],
  ['ENOTFOUND', { passes: false, sent: false }],
  ['EAI_AGAIN', { passes: true, sent: false }],
  ['EHOSTUNREACH', { passes: true, sent: false }],
  ['ENETUNREACH', { passes: true, sent: false }],
  ['UND_ERR_CONNECT_TIMEOUT', { passes: true, sent: false }],
  ['EBUSY', { passes: true, sent: false }],
  ['ECONNRESET', { passes: true, sent: true }],
  ['ETIMEDOUT', { passes: true, sent: true }],
  ['EPIPE', { passes: true, sent: true }],
  ['ERR_STREAM_PREMATURE_CLOSE', { passes: true, sent: true }],
  ['UND_ERR_SOCKET', { passes: true, sent: true }],
  ['UND_ERR_HEADERS_TIMEOUT', { passes: true, sent: true }],
  ['UND_ERR_BODY_TIMEOUT', { passes: true, sent: true }],
]);

export function isPassingCode(code: unknown): boolean {
  return FAULTS.get(code)?.passes === true;
}

export function isUnsentCode(code: unknown): boolean {
  return FAULTS.get(code)?.sent === false;
}

/** The connection broke after something may have been sent. */
export function isBrokenOffCode(code: unknown): boolean {
  return FAULTS.get(code)?.sent === true;
}

/** The run ended it: that says nothing about what was called. */
export function isEndOfRun({ code }: Pick<Failure, 'code'>): boolean {
  return code === 'CANCELLED' || code === 'BOUND_REACHED';
}

/** Whether the same call may succeed a moment later: because the error says so, or by its code. */
export function mayPass(failure: Pick<Failure, 'code' | 'retryable' | 'originalCode'>): boolean {
  return !isEndOfRun(failure) && (failure.retryable || isPassingCode(failure.originalCode));
}

/** What the other side wants to be left alone for, where it said so. */
export function retryAfterOf(error: unknown): number | undefined {
  const ms = error instanceof FlyballError ? error.detail['retryAfterMs'] : undefined;
  return typeof ms === 'number' && ms >= 0 ? ms : undefined;
}

/**
 * Does the work, and again after a wait while it fails in a way that may pass: as long as the other side asks for, else
 * by the backoff. Outside of a run; what an agent does is tried again by the runtime, which journals every try.
 */
export async function patiently<T>(
  work: () => Promise<T>,
  policy: Backoff & { readonly retries: number },
  wait: (ms: number) => Promise<void>,
): Promise<T> {
  for (let retry = 0; ; retry++) {
    let waitMs: number;
    try {
      return await work();
    } catch (error) {
      const asked = retryAfterOf(error);
      waitMs = asked ?? backoffMs(policy, retry, 0);
      const passes = error instanceof FlyballError && mayPass(error);
      if (!passes || retry >= policy.retries || waitMs > policy.maxDelayMs) throw error;
    }
    await wait(waitMs);
  }
}
