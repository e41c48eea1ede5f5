import { type BudgetSlice, checkSlice } from '../../core/budget.js';
import { fingerprint } from '../../core/codec.js';
import { BoundReachedError, CancelledError, ConfigError, FlyballError, failureOf } from '../../core/errors.js';
import type { Ledger } from '../../core/ledger.js';
import { done, failed, type Outcome } from '../../core/outcome.js';
import type { Run, Settled } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Pending, Scope } from '../open-effects.js';
import { settled } from './branches.js';
import { ask, assertOutsideEffects } from './effect.js';
import { begin, bounded } from './spawn.js';

const NAME = 'within';

/**
 * Code with a part of the budget. In the journal it begins and ends as a child does, so that a bound of it that is lifted
 * lets it go on as it lets a child. But it shares its variables with the code around it, so no replay leaves it out, and
 * what it left in flight goes on for that code's account.
 */
export async function within<T>(
  attempt: Attempt,
  scope: Scope,
  given: {
    readonly slice: BudgetSlice;
    readonly body: (run: Run) => Promise<T>;
    readonly runFor: (own: Scope) => Run;
  },
): Promise<T> {
  assertOutsideEffects(attempt);
  if (given.slice === undefined)
    throw new ConfigError('within needs a slice of the budget, for example { share: 0.5 }.');
  checkSlice(given.slice);
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  const id = `${scope.path}#${scope.effects}`;
  const path = `${scope.path}/${NAME}.${scope.groups++}`;
  const { ledger, slice } = attempt.books.eras.open(id, path, scope.ledger, given.slice, 'code');
  const own = attempt.effects.scope(path, scope, { ledger });
  const isLate = !attempt.delivery.isLive;
  let ended: Settled<T> | undefined;
  const close = (): void => {
    ledger.close();
    attempt.books.eras.close(id);
  };
  return ask<T>(attempt, scope, {
    kind: 'spawn',
    name: NAME,
    fp: fingerprint('spawn', NAME, null),
    want: {},
    reruns: true,
    drive: async (pending) => {
      begin(attempt, pending, ledger, { name: NAME, path, input: null, slice, isLate, within: true });
      ended = await settled(() => given.body(given.runFor(own)));
      end(attempt, pending, own, ended);
    },
    onClosed: close,
    learn: close,
    answer: () => {
      if (own.isOver()) attempt.effects.forget(own);
      if (ended === undefined) return unfinished(attempt, id);
      return ended.ok ? ended.value : ended.error;
    },
  });
}

function end(attempt: Attempt, pending: Pending, own: Scope, result: Settled<unknown>): void {
  const { ledger, closedBy } = own;
  attempt.life.time.unwatch(ledger);
  attempt.recorded.acts.closeChild(own.path);
  if (attempt.recorded.ends.has(pending.id)) return; // in an earlier life
  if (pending.closedBy !== undefined) return attempt.effects.drop(pending);
  // a bound of what is around is about to end that too: it is no end of its own
  if (attempt.books.bounds.holdsAbove(own)) return;
  const outcome = { ...outcomeOf(result, closedBy, ledger), usage: attempt.books.usageOf(ledger) };
  attempt.delivery.record({ type: 'spawn-end', id: pending.id, outcome });
}

/** How it ended, for whoever reads the journal: its value is the code's own. */
function outcomeOf(result: Settled<unknown>, closedBy: Error | undefined, ledger: Ledger): Outcome<unknown> {
  if (closedBy instanceof BoundReachedError && closedBy.node === ledger.path) return bounded(closedBy, undefined);
  if (result.ok) return done(null);
  if (result.error instanceof CancelledError) return { stop: 'cancelled', because: result.error.why };
  return failed(failureOf(result.error));
}

function unfinished(attempt: Attempt, id: string): Error {
  const message = `The journal says that the code of ${id} (run.within) has ended, and it goes on here. It does not do the same again.`;
  const error = new FlyballError('REPLAY_DIVERGED', message);
  attempt.life.fail(error);
  return error;
}
