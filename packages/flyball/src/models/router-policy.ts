import { ConfigError } from '../core/errors.js';
import type { BreakerPolicy } from '../core/tool.js';

/** How patiently one model is asked, before the next one in the chain is. */
export interface RetryPolicy {
  /** Tries after the first one, for each model of the chain. */
  readonly retries: number;
  /** The wait before retry r: min(maxDelayMs, baseDelayMs · 2^r + U(0, jitterMs)), but never less than Retry-After. */
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly jitterMs: number;
  /** A provider that wants more time than this is not waited for: the next model is asked instead. */
  readonly maxRetryAfterMs: number;
  /** Failures that may have been paid for, over the whole chain, before the call is given up. */
  readonly maxPaidFailures: number;
}

/** How many calls run at a time. */
export interface ConcurrencyPolicy {
  /** Calls at a time to one provider. */
  readonly limit: number;
  /** Where a provider has a limit of its own. */
  readonly providers: Readonly<Record<string, number>>;
  /** Calls that may wait in line for one provider; one more is refused at once. */
  readonly maxWaiting: number;
}

/** Retries, circuit breakers, concurrency and timeouts of a router. */
export interface RouterPolicy {
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
  readonly concurrency: ConcurrencyPolicy;
  /** For one try; waiting in line does not count. */
  readonly timeoutMs: number;
}

/** A policy as it is given: what is left out is as in `ROUTER_DEFAULTS`. */
export interface RouterPolicyOptions {
  readonly retry?: Partial<RetryPolicy>;
  readonly breaker?: Partial<BreakerPolicy>;
  readonly concurrency?: Partial<ConcurrencyPolicy>;
  readonly timeoutMs?: number;
}

/** The default settings of a model router. */
export const ROUTER_DEFAULTS: RouterPolicy = {
  retry: {
    retries: 3,
    baseDelayMs: 500,
    maxDelayMs: 20_000,
    jitterMs: 500,
    maxRetryAfterMs: 30_000,
    maxPaidFailures: 1,
  },
  breaker: { failures: 5, openMs: 30_000 },
  concurrency: { limit: 32, providers: {}, maxWaiting: 10_000 },
  timeoutMs: 100_000, // below the 120 s that a run gives a model call, so that a fallback still gets its chance
};

/** Bad numbers fail here, before anything is asked. */
export function routerPolicy(given: RouterPolicyOptions): RouterPolicy {
  const policy = {
    retry: { ...ROUTER_DEFAULTS.retry, ...given.retry },
    breaker: { ...ROUTER_DEFAULTS.breaker, ...given.breaker },
    concurrency: { ...ROUTER_DEFAULTS.concurrency, ...given.concurrency },
    timeoutMs: given.timeoutMs ?? ROUTER_DEFAULTS.timeoutMs,
  };
  const { retry, breaker, concurrency } = policy;
  whole({ 'retry.retries': retry.retries, 'retry.maxPaidFailures': retry.maxPaidFailures }, 0);
  duration({ 'retry.baseDelayMs': retry.baseDelayMs, 'retry.maxDelayMs': retry.maxDelayMs });
  duration({ 'retry.jitterMs': retry.jitterMs, 'retry.maxRetryAfterMs': retry.maxRetryAfterMs });
  duration({ 'breaker.openMs': breaker.openMs });
  whole(
    { 'breaker.failures': breaker.failures, 'concurrency.limit': concurrency.limit, timeoutMs: policy.timeoutMs },
    1,
  );
  whole(concurrency.providers, 1, 'concurrency.providers.');
  whole({ 'concurrency.maxWaiting': concurrency.maxWaiting }, 0);
  return policy;
}

function whole(settings: Readonly<Record<string, number>>, least: number, prefix = ''): void {
  for (const [name, value] of Object.entries(settings))
    if (!Number.isSafeInteger(value) || value < least)
      throw new ConfigError(`${prefix}${name} must be a whole number of at least ${least}, got ${String(value)}.`);
}

function duration(settings: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(settings))
    if (!Number.isFinite(value) || value < 0)
      throw new ConfigError(`${name} must be a finite number of milliseconds, at least 0, got ${String(value)}.`);
}
