import type { Outcome } from '../../../core/outcome.js';

/**
 * An outcome of which nothing may be said. A success becomes `blocked`; any other end stays what it is, because whoever
 * resumes or cleans up after it needs to know, and loses its words and its partial value.
 */
export function blockedOutcome(outcome: Outcome<unknown>, reason: string): Outcome<unknown> {
  const because = `The output was withheld. ${reason}`;
  const usage = outcome.usage === undefined ? {} : { usage: outcome.usage };
  switch (outcome.stop) {
    case 'done':
    case 'degraded':
    case 'blocked':
      return { stop: 'blocked', because, ...usage };
    case 'bounded':
      return { stop: 'bounded', bound: outcome.bound, limit: outcome.limit, ...usage };
    case 'suspended':
      return { ...outcome, waiting: outcome.waiting.map(({ request: _withheld, ...waiting }) => waiting) };
    case 'cancelled':
      return { stop: 'cancelled', because, ...rollbackOf(outcome), ...usage };
    case 'failed': {
      const { code, retryable } = outcome.failure;
      return {
        stop: 'failed',
        because,
        failure: { code, message: because, retryable },
        ...rollbackOf(outcome),
        ...usage,
      };
    }
  }
}

/** Which effects were undone is kept, without the notes on them. */
function rollbackOf(
  outcome: Extract<Outcome<unknown>, { readonly stop: 'cancelled' | 'failed' }>,
): Pick<typeof outcome, 'rollback'> {
  const { rollback } = outcome;
  if (rollback === undefined) return {};
  return { rollback: { ...rollback, entries: rollback.entries.map(({ note: _withheld, ...entry }) => entry) } };
}
