import { type Failure, FlyballError, failureOf } from '../core/errors.js';
import type { Outcome, Stop } from '../core/outcome.js';

/** What an agent may return. `suspended` is not among them: only a handle sees it. */
const STOPS: ReadonlySet<unknown> = new Set<Stop>(['done', 'degraded', 'bounded', 'blocked', 'cancelled', 'failed']);

export function isOutcome(value: unknown): value is Outcome<unknown> {
  return typeof value === 'object' && value !== null && STOPS.has((value as { readonly stop?: unknown }).stop);
}

export function notAnOutcome(): Failure {
  const message =
    "The agent returned something that is not an outcome. Return done(value), or { stop: 'done', value }.";
  return failureOf(new FlyballError('CONFIG_INVALID', message));
}
