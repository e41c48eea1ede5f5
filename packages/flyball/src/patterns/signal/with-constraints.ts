import { blocked, type NotDone, type Outcome, withoutValue } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import { withNotes } from '../../kit/notes.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { runPart } from '../../kit/seat.js';
import { shown } from '../../kit/shown.js';
import type { Described } from '../use.js';
import type { ConstraintGuard } from './constraint-guard.js';
import type { Constraints } from './constraints.js';

/** What `withConstraints` needs beside its agent. */
export interface WithConstraintsParts {
  readonly constraints: Constraints;
  /** Reads outputs for what no pattern finds. Needed where an item has to be judged. */
  readonly judge?: Session;
}

/** Options of `withConstraints`. */
export interface WithConstraintsOptions {
  readonly maxRetries?: number;
}

const HEADING = 'Your last answer was not accepted, because it does what must not happen. Answer again without it:';
/** A reading that does not fit its form is asked for again, twice. */
const MOST_READINGS = 3;

/**
 * Works under constraints, and answers again when a result breaches one.
 *
 * Model calls: `tries × agent + reviews × judge`. After the last retry it ends `blocked` with reason `unapproved`, and
 * what breached a constraint is not shown. A guard reads whole results, whatever they say about themselves, and partial
 * ones too; where a judge is needed, those are left out. Not for calls
 * that must not be made: the tools have acted by then, so hold those with `policyGuard` or `guardrails`.
 *
 * @pattern S5
 * @example
 * ```ts
 * const clerk = withConstraints(desk, { constraints: limits, judge: reader }, { maxRetries: 2 });
 * ```
 */
export function withConstraints<I, O>(
  agent: Agent<I, O>,
  { constraints, judge }: WithConstraintsParts,
  { maxRetries = 2 }: WithConstraintsOptions = {},
): Described<Agent<I, O>> {
  checkGiven('withConstraints (S5)', { agent, constraints });
  checkCounts('withConstraints (S5)', { maxRetries }, 0);
  const guard = constraints.guard(judge);
  const { version, ids, guardOnly } = constraints;
  const about = {
    id: 'S5',
    name: 'withConstraints',
    ownBest: true, // nobody has read what its agent tells
    params: { maxRetries, version, ids, guardOnly },
    parts: { agent, judge },
    apart: [['judge', 'agent']],
    calls: {
      sum: [
        { times: [{ fact: 'tries', least: 1, most: 1 + maxRetries }, { part: 'agent' }] },
        {
          times: [
            { fact: 'reviews', least: 0, most: guard.asks ? MOST_READINGS * (1 + maxRetries) : 0 },
            { part: 'judge' },
          ],
        },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I) => {
    const framed = run.dressed(constraints);
    if (guardOnly.length > 0) run.note({ kind: 'constraints', version, told: ids, guardOnly });
    let notes: readonly string[] = [];
    for (let tries = 1; ; tries++) {
      const made = await runPart(withNotes(framed, HEADING, notes), agent, input);
      run.learned({ tries, reviews: guard.asks ? tries - 1 : 0 });
      if (made.stop !== 'done' && made.stop !== 'degraded') return reviewed(made, guard);
      const breaches = await guard.review(run, shown(made.value));
      run.learned({ reviews: guard.asks ? tries : 0 });
      if (breaches.length === 0) return made;
      const breached = [...new Set(breaches.map(({ id }) => id))];
      run.note({ kind: 'constraint-breach', version, ids: breached });
      if (tries > maxRetries)
        return blocked(`the answer breaches ${breached.join(', ')}`, {
          reason: { code: 'unapproved', data: { rounds: tries, by: breached.join(', ') } },
        });
      notes = [`It breaches ${breached.join(', ')}.`];
    }
  });
}

/** A partial value is shown like any other, so it is read too. Nobody is left to ask a judge: then it is not shown. */
function reviewed<O>(made: NotDone & Outcome<O>, guard: ConstraintGuard): Outcome<O> {
  const { partial } = made as { readonly partial?: unknown };
  const isClean = !guard.asks && guard.find(shown(partial)).length === 0;
  return partial === undefined || isClean ? made : withoutValue(made);
}
