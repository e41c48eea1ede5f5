import type { ActRecord, Acts } from '../core/act-record.js';
import { ActsFold } from '../core/acts.js';
import { boundReached } from '../core/budget.js';
import { roundTrip } from '../core/codec.js';
import { BoundReachedError, CancelledError, failureOf } from '../core/errors.js';
import { EVENT_VERSION } from '../core/events.js';
import { through } from '../core/join-seams.js';
import { failed, type Outcome, type Stop } from '../core/outcome.js';
import { snapshotFor } from '../core/run-state.js';
import type { Attempt } from './attempt.js';
import type { Settlement } from './host.js';
import { readEntries } from './load.js';
import { isOutcome, notAnOutcome } from './outcome-check.js';
import { rollback, undoStrays } from './rollback.js';
import { keepUnheard } from './unheard.js';

/** From the end of the function to the end of the run: open INTENTs, rollback, output seam, the last entry. */
export async function finish(attempt: Attempt, settlement: Settlement): Promise<void> {
  const isStopped = settlementOf(attempt, settlement).closedBy !== undefined;
  if (attempt.life.continuation !== undefined && !isStopped)
    return nextGeneration(attempt, attempt.life.continuation.state);
  attempt.effects.close('', new CancelledError('the run has ended'), { spareIntents: true });
  const own = (): Outcome<unknown> => storable(outcomeOf(settlementOf(attempt, settlement)));
  await closeDown(attempt, own());
  const ownEnd = withinBounds(attempt, own());
  if (ownEnd.stop !== 'bounded') await keepUnheard(attempt); // a bound that is lifted opens its waits again
  const outcome = await undone(attempt, attempt.effects.root.best.into(ownEnd));
  const facts = await actsOf(attempt);
  const guard = through(attempt.host.seams, 'output', async (value) => value);
  const guarded = storable(await guard({ ...outcome, ...facts }, attempt.guards.context('')));
  // a guard may make a failure of it: that is undone like any other
  const isLate = isUndone(guarded) && !isUndone(outcome);
  if (isLate && outcome.stop === 'bounded') {
    await closeDown(attempt, guarded);
    await keepUnheard(attempt);
  }
  const final = isLate ? withoutNotes(await undone(attempt, guarded)) : guarded;
  const shown = asShown(isLate ? await actsOf(attempt) : facts, guarded.acts);
  const ended = { ...final, ...shown, usage: attempt.effects.usage() };
  const end = attempt.journal.push({ type: 'run-end', outcome: ended });
  await attempt.journal.barrier();
  attempt.life.unload();
  // before it is given back: until then, whoever comes after a crash takes it over and tells again
  await attempt.host.others.ended(attempt.claim.record, end);
  await attempt.host.release(attempt, { status: ended.stop as Exclude<Stop, 'suspended'>, ...codeOf(ended) });
  attempt.host.ended(attempt, ended);
}

/** What is in flight comes to its end. A run at a bound leaves open what it can repeat once it goes on. */
async function closeDown(attempt: Attempt, { stop }: Outcome<unknown>): Promise<void> {
  if (stop !== 'bounded') attempt.effects.endLeftOpen();
  await attempt.effects.open.intentsEnded('');
  await undoStrays(attempt);
}

/** The outcome, with the report of its rollback where it is one that undoes what was done. */
async function undone(attempt: Attempt, outcome: Outcome<unknown>): Promise<Outcome<unknown>> {
  if (!isUndone(outcome)) return outcome;
  const report = await rollback(attempt, '', outcome.because);
  return report.entries.length > 0 ? { ...outcome, rollback: report } : outcome;
}

/** What went wrong when it was undone is said in words that no guard has seen. */
function withoutNotes(outcome: Outcome<unknown>): Outcome<unknown> {
  if (!isUndone(outcome) || outcome.rollback === undefined) return outcome;
  const entries = outcome.rollback.entries.map(({ note: _unseen, ...entry }) => entry);
  return { ...outcome, rollback: { ...outcome.rollback, entries } };
}

function isUndone(
  outcome: Outcome<unknown>,
): outcome is Extract<Outcome<unknown>, { readonly stop: 'failed' | 'cancelled' }> {
  return outcome.stop === 'failed' || outcome.stop === 'cancelled';
}

/** What the record says of an end that a program would look for: which failure, at which bound, for which reason. */
export function codeOf(outcome: Outcome<unknown>): { readonly code?: string } {
  if (outcome.stop === 'failed') return { code: outcome.failure.code };
  if (outcome.stop === 'bounded') return { code: outcome.bound };
  return 'reason' in outcome && outcome.reason !== undefined ? { code: outcome.reason.code } : {};
}

/** Of the whole run: earlier generations are read again, so that none has to carry what the ones before it did. */
async function actsOf({ recorded, generation, host, claim }: Attempt): Promise<Acts> {
  if (generation === 0) return recorded.acts.all();
  const fold = new ActsFold();
  for (let earlier = 0; earlier < generation; earlier++)
    for (const entry of await readEntries(host.engine, claim.record, earlier)) fold.apply(entry);
  return fold.and(recorded.acts).all();
}

/** A guard may mask the wording of an act, and take it away, but what took place is not its to say. */
function asShown({ acts, actsLeftOut }: Acts, shown: readonly ActRecord[] = []): Acts {
  const briefs = new Map(shown.map(({ id, generation = 0, brief }) => [`${generation}:${id}`, brief]));
  const told = acts.map(({ brief: _masked, ...fact }): ActRecord => {
    const brief = briefs.get(`${fact.generation ?? 0}:${fact.id}`);
    return typeof brief === 'string' ? { ...fact, brief } : fact;
  });
  return actsLeftOut === undefined ? { acts: told } : { acts: told, actsLeftOut };
}

/**
 * A cancellation counts until the run is being finished: a bounded run can still be cancelled. A bound counts only if the
 * code was told of it before it ended, whether it ended with an outcome, an error or `continueWith`.
 */
function settlementOf(attempt: Attempt, settlement: Settlement): Settlement {
  return { ...settlement, closedBy: attempt.life.cancelledBy ?? settlement.closedBy };
}

function outcomeOf({ outcome: given, error, closedBy }: Settlement): Outcome<unknown> {
  const partial = partialOf(given);
  if (closedBy instanceof CancelledError) return { stop: 'cancelled', because: closedBy.why, ...partial };
  // a run that hit its bound may say that it degraded, but not that it is done
  if (closedBy instanceof BoundReachedError && given?.stop !== 'degraded') return bounded(closedBy, partial);
  if (error === undefined) return isOutcome(given) ? given : failed(notAnOutcome());
  return error instanceof BoundReachedError ? bounded(error, {}) : failed(failureOf(error));
}

/** Who reports more than was reserved can carry a run past its bounds: it may end there, but not as done. */
function withinBounds(attempt: Attempt, outcome: Outcome<unknown>): Outcome<unknown> {
  const over = outcome.stop === 'done' ? attempt.effects.root.ledger.overspent() : undefined;
  if (over === undefined) return outcome;
  attempt.journal.push({ type: 'trip', ...over });
  return bounded(boundReached(over), partialOf(outcome));
}

function bounded(
  { bound, limit, refused }: BoundReachedError,
  partial: { readonly partial?: unknown },
): Outcome<unknown> {
  return { stop: 'bounded', bound, limit, ...refused, ...partial };
}

function partialOf(outcome: Outcome<unknown> | undefined): { readonly partial?: unknown } {
  const value = !isOutcome(outcome)
    ? undefined
    : 'value' in outcome
      ? outcome.value
      : 'partial' in outcome
        ? outcome.partial
        : undefined;
  return value === undefined ? {} : { partial: value };
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
  attempt.effects.endLeftOpen(); // for a bound of which the code was not told: this generation does not go on later
  await attempt.effects.open.intentsEnded('');
  await undoStrays(attempt);
  const next = attempt.generation + 1;
  const undo = attempt.journal.saga.left();
  const before = attempt.journal.state.state();
  attempt.journal.push({ type: 'generation-end', undo });
  attempt.journal.writer.startGeneration(next);
  attempt.journal.push({
    type: 'generation-start',
    v: EVENT_VERSION,
    input: state,
    budget: attempt.effects.root.ledger.limits,
    state: snapshotFor('generation', {
      ...before,
      spent: attempt.effects.usage(),
      autonomySpent: attempt.effects.root.ledger.spentBefore(),
      toUndo: before.toUndo + undo.length,
    }),
  });
  await attempt.journal.barrier();
  attempt.life.unload();
  attempt.host.nextGeneration(attempt, next);
}
