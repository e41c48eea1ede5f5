import type { ObjectOptions } from '@restatedev/restate-sdk';

const RETENTION = { minutes: 10 };

/**
 * What Restate would do by default after 70 attempts is to wait for a person, and its first retry takes half a second.
 * A run that nobody could drive is tried for as long as it takes: it is Flyball that gives up on runs, not Restate.
 */
const RETRIES = {
  initialInterval: { milliseconds: 20 },
  exponentiationFactor: 2,
  maxInterval: { seconds: 1 },
  maxAttempts: Number.MAX_SAFE_INTEGER,
  onMaxAttempts: 'pause',
} as const;

/** For calls that take as long as a run is at work: Restate must not take them for stalled. */
export const LONG: ObjectOptions = {
  inactivityTimeout: { hours: 24 },
  abortTimeout: { hours: 24 },
  journalRetention: RETENTION,
  idempotencyRetention: RETENTION,
  retryPolicy: RETRIES,
};

/** For calls that only wait for others: they give their connection back while they do. */
export const BRIEF: ObjectOptions = { ...LONG, inactivityTimeout: { milliseconds: 200 }, enableLazyState: true };

/** For calls between our own services. */
export const INNER: ObjectOptions = { ...BRIEF, ingressPrivate: true };
