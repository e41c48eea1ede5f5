import { type ErrorCode, FlyballError } from '../core/errors.js';
import { unfitPart } from '../core/media-fit.js';
import type { Model, ModelRequest } from '../core/model.js';
import { backoffMs, mayPass, retryAfterOf } from '../core/retry.js';
import type { Lesson } from './provider-gate.js';
import type { RetryPolicy } from './router-policy.js';

/** What to do after a failed try. */
export type NextMove =
  | { readonly move: 'retry'; readonly waitMs: number }
  | { readonly move: 'fall-back' }
  | { readonly move: 'give-up' };

/** Failures that another model may not share. The rest is the caller's own doing, or a defect that must be seen. */
const ANOTHER_MAY_ANSWER: ReadonlySet<ErrorCode> = new Set([
  'MODEL_UNAVAILABLE',
  'MODEL_REJECTED',
  'CIRCUIT_OPEN',
  'WINDOW_EXCEEDED',
  'REPLY_INVALID',
]);

export interface Tried {
  /** Retries of this model so far. */
  readonly retries: number;
  /** Failures over the whole call that may have been paid for, this one included. */
  readonly paidFailures: number;
  /** Whether this failure is one of them. */
  readonly wasPaid: boolean;
  /** Whether a model further down the chain could answer. */
  readonly hasStandIn: boolean;
  /** In [0, 1). */
  readonly uniform: number;
}

export function nextMove(error: FlyballError, tried: Tried, policy: RetryPolicy): NextMove {
  // checked first: once the reservation is used up not even a fallback may be asked
  if (tried.paidFailures > policy.maxPaidFailures) return { move: 'give-up' };
  // the last try that may be paid for is better spent on a model that has not failed
  const spares = tried.wasPaid && tried.hasStandIn && tried.paidFailures === policy.maxPaidFailures;
  if (isWorthRetrying(error) && tried.retries < policy.retries && !spares) {
    const askedMs = retryAfterOf(error) ?? 0;
    if (askedMs <= policy.maxRetryAfterMs)
      return { move: 'retry', waitMs: Math.max(askedMs, backoffMs(policy, tried.retries, tried.uniform)) };
  }
  return { move: ANOTHER_MAY_ANSWER.has(error.code) && !isUnexplained(error) ? 'fall-back' : 'give-up' };
}

/** An open circuit and a full line are answers of the router itself: asking again at once would get the same one. */
function isWorthRetrying(error: FlyballError): boolean {
  return mayPass(error) && error.code !== 'CIRCUIT_OPEN' && error.detail['lineFull'] !== true;
}

/** What a failure says about the provider. A rate limit is no outage: it answered, and said when to come back. */
export function lessonOf(error: FlyballError): Lesson {
  return error.retryable && error.detail['status'] !== 429 ? 'failed' : 'undecided';
}

/** Why this model cannot stand in for the one that was asked, or undefined. */
export function whyUnfit(candidate: Model, request: ModelRequest, exceededWindow: number): string | undefined {
  const { window, tools } = candidate.capabilities;
  if (window <= exceededWindow) return `its window of ${window} tokens is not larger than the one that was exceeded`;
  // a model that cannot call tools would answer in text, and the loop would take that for the end
  if (request.tools.length > 0 && !tools) return 'it cannot call tools';
  const unfit = unfitPart(candidate.capabilities, request.messages);
  if (unfit !== undefined) return `it cannot take ${unfit.mediaType}`;
  return undefined;
}

/** Anything but a FlyballError is a defect in an adapter: what it cost is unknown, so it counts as paid. */
export function explained(error: unknown, model: Model): FlyballError {
  if (error instanceof FlyballError) return error;
  const text = error instanceof Error ? error.message : String(error);
  return new FlyballError('MODEL_UNAVAILABLE', `The adapter of ${model.id} failed: ${text}`, {
    detail: { model: model.id, mayHaveCost: true, unexplained: true },
    cause: error,
  });
}

function isUnexplained(error: FlyballError): boolean {
  return error.detail['unexplained'] === true;
}
