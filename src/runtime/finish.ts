import { roundTrip } from '../core/codec.js';
import { BoundReachedError, CancelledError, failureOf, FlyballError } from '../core/errors.js';
import { EVENT_VERSION } from '../core/events.js';
import { failed, type Outcome } from '../core/outcome.js';
import type { Attempt } from './attempt.js';
import { rollback } from './rollback.js';
import { through } from './seams.js';

/** How the agent function ended. */
export interface Settlement {
  readonly outcome?: Outcome<unknown>;
  readonly error?: unknown;
  /** What had closed the run by then: a bound or a cancellation. */
  readonly closedBy: Error | undefined;
}

/** From the end of the function to the end of the run: open INTENTs, rollback, output seam, the last entry. */
export async function finish(attempt: Attempt, settlement: Settlement): Promise<void> {
  if (attempt.continuation !== undefined) return nextGeneration(attempt, attempt.continuation.state);
  attempt.close('', new CancelledError('the run has ended'), { spareIntents: true });
  await attempt.intentsEnded('');
  let outcome = outcomeOf(settlement);
  if (outcome.stop === 'failed' || outcome.stop === 'cancelled') {
    const report = await rollback(attempt, '', outcome.because);
    if (report.entries.length > 0) outcome = { ...outcome, rollback: report };
  }
  outcome = storable(await through(attempt.host.seams, 'output', async (value) => value)(outcome, { ...attempt.seamContext(), at: '' }));
  const ended = { ...outcome, usage: attempt.usage() };
  attempt.push({ type: 'run-end', outcome: ended });
  await attempt.barrier();
  attempt.unload();
  if (ended.stop === 'suspended') return; // excluded by storable; the type does not know
  await attempt.host.release(attempt, { status: ended.stop, now: attempt.host.clock.now() });
  attempt.host.ended(attempt, ended);
}

function outcomeOf({ outcome: given, error, closedBy }: Settlement): Outcome<unknown> {
  const partial = given !== undefined && ('value' in given || 'partial' in given) ? partialOf(given) : undefined;
  const kept = partial === undefined ? {} : { partial };
  if (closedBy instanceof CancelledError) return { stop: 'cancelled', because: closedBy.message, ...kept };
  // a run that hit its bound may say that it degraded, but not that it is done
  if (closedBy instanceof BoundReachedError && given?.stop !== 'degraded') {
    return { stop: 'bounded', bound: closedBy.bound, limit: closedBy.limit, ...kept };
  }
  if (given !== undefined) return isOutcome(given) ? given : failed(notAnOutcome());
  if (error instanceof BoundReachedError) return { stop: 'bounded', bound: error.bound, limit: error.limit };
  return failed(failureOf(error));
}

function partialOf(outcome: Outcome<unknown>): unknown {
  return 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : undefined;
}

const STOPS = new Set(['done', 'degraded', 'bounded', 'blocked', 'cancelled', 'failed']);

function isOutcome(value: unknown): boolean {
  return typeof value === 'object' && value !== null && STOPS.has((value as { stop?: string }).stop ?? '');
}

function notAnOutcome() {
  return failureOf(
    new FlyballError('CONFIG_INVALID', "The agent returned something that is not an outcome. Return done(value), or { stop: 'done', value }."),
  );
}

/** An outcome that cannot be stored is a failure of the agent, not of the journal. */
function storable(outcome: Outcome<unknown>): Outcome<unknown> {
  try {
    return roundTrip(outcome);
  } catch (error) {
    return failed(failureOf(error));
  }
}

async function nextGeneration(attempt: Attempt, state: unknown): Promise<void> {
  const next = attempt.generation + 1;
  attempt.push({ type: 'generation-end' });
  attempt.writer.startGeneration(next);
  attempt.push({
    type: 'generation-start',
    v: EVENT_VERSION,
    input: state,
    budget: attempt.root.ledger.limits,
    spent: attempt.usage(),
    saga: attempt.saga.filter((entry) => attempt.undoEnd(`${entry.generation}:${entry.effect}!undo`)?.type !== 'complete'),
    calledTools: attempt.calledTools,
  });
  await attempt.barrier();
  attempt.unload();
  attempt.host.nextGeneration(attempt, next);
}
