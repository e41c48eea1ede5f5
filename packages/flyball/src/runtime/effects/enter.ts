import { roundTrip } from '../../core/codec.js';
import { ConfigError } from '../../core/errors.js';
import type { EventOf } from '../../core/events.js';
import type { Mark } from '../../core/mark.js';
import type { Entered, Run } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { isOutcome } from '../outcome-check.js';
import { assertOutsideEffects } from './effect.js';

/** Names that end in a dot and a number are those of branches, children and patterns, which are numbered by the run. */
export function isScopeName(name: string): boolean {
  return /^[\w.-]+$/.test(name) && !/\.\d+$/.test(name);
}

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
  const mark = checked(given.mark);
  assertOutsideEffects(attempt);
  const closed = scope.closedReason();
  if (closed !== undefined) throw closed;
  const path = `${scope.path}/${mark.pattern}.${scope.groups++}`;
  const own = attempt.effects.scope(path, scope, { kind: mark.ownBest === true ? 'own-pattern' : 'pattern' });
  const { tellings } = attempt.journal;
  tellings.once({ type: 'scope-start', path, ...mark });
  let learnt: Readonly<Record<string, unknown>> | undefined;
  const run = Object.assign(given.runFor(own), {
    learnt: (what: Readonly<Record<string, unknown>>) => {
      assertOutsideEffects(attempt);
      learnt = { ...learnt, ...roundTrip(what) };
    },
  });
  const end = (how: EventOf<'scope-end'>['how']): void => {
    tellings.once({ type: 'scope-end', path, how, ...(learnt === undefined ? {} : { learnt }) });
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

/** What cannot be stored fails here, on replay too. */
function checked(mark: Mark): Mark {
  const { pattern, predicted } = mark;
  if (!isScopeName(pattern))
    throw new ConfigError(
      `The name of a pattern can contain letters, digits, "_", "-" and ".", and must not end in a dot and a number: got "${pattern}".`,
    );
  if (predicted !== undefined && !(predicted.min >= 0 && predicted.max >= predicted.min))
    throw new ConfigError(
      `${pattern} predicts ${predicted.min} to ${predicted.max} model calls. Give numbers of at least 0, the smaller one first.`,
    );
  return roundTrip(mark);
}

/** Tells the best value so far, and keeps it for an end without one. What code left behind tells after the end is too late. */
export function tellBest(attempt: Attempt, scope: Scope, value: unknown): void {
  const kept = roundTrip(value);
  if (attempt.life.settlement !== undefined) return;
  const level = scope.best.tell(kept);
  const { path } = scope;
  attempt.journal.tellings.once({ type: 'best', path, value: kept, ...(level === undefined ? {} : { level }) });
}
