import { roundTrip } from '../../core/codec.js';
import type { EventOf } from '../../core/events.js';
import { fixedMark, type Mark } from '../../core/mark.js';
import type { Entered, Run } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { isOutcome } from '../outcome-check.js';
import { assertOutsideEffects } from './effect.js';

/**
 * A pattern in a scope of its own. Begin and end are told, never replayed: the journal has them once, also where the code
 * that tells them is run again.
 */
export async function enter<T>(
  attempt: Attempt,
  scope: Scope,
  given: {
    readonly mark: Mark;
    readonly body: (run: Entered) => Promise<T>;
    readonly runFor: (own: Scope) => Run;
  },
): Promise<T> {
  const mark = fixedMark(given.mark);
  assertOutsideEffects(attempt);
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  const path = `${scope.path}/${mark.pattern}.${scope.groups++}`;
  const own = attempt.effects.scope(path, scope, { kind: mark.ownBest === true ? 'own-pattern' : 'pattern' });
  const { tellings } = attempt.journal;
  tellings.once({ type: 'scope-start', path, ...mark });
  let learned: Readonly<Record<string, unknown>> | undefined;
  const run = given.runFor(own) as { -readonly [member in keyof Entered]: Entered[member] };
  run.learned = (what) => {
    assertOutsideEffects(attempt);
    learned = { ...learned, ...roundTrip(what) };
  };
  const end = (how: EventOf<'scope-end'>['how']): void => {
    tellings.once({ type: 'scope-end', path, how, ...(learned === undefined ? {} : { learned }) });
    if (own.isOver() && own.closedReason() === undefined) attempt.effects.forget(own);
  };
  try {
    const value = await given.body(run);
    end(isOutcome(value) ? value.stop : 'returned');
    return value;
  } catch (error) {
    end('threw');
    throw error;
  }
}

/** Tells the best value so far, and keeps it for an end without one. What code left behind tells after the end is too late. */
export function tellBest(attempt: Attempt, scope: Scope, value: unknown): void {
  const kept = roundTrip(value);
  if (attempt.life.settlement !== undefined) return;
  const level = scope.best.tell(kept);
  const { path } = scope;
  attempt.journal.tellings.once({ type: 'best', path, value: kept, ...(level === undefined ? {} : { level }) });
}
