import { canonicalJson } from '../core/canonical.js';
import { blocked, done } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import type { Described } from '../core/use.js';
import { withNotes } from '../kit/notes.js';
import { checkCounts } from '../kit/options.js';
import { pattern } from '../kit/pattern.js';
import { runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { type Attempted, betterOf, runTest, type Test } from '../kit/tested.js';

/** Who takes part in `untilApproved`. */
export interface UntilApprovedParts<I, O> {
  /** Approves of a draft, or says what is wrong with it. It alone knows what is asked of a draft. */
  readonly test: Test<I, O>;
}

/** Options of `untilApproved`. */
export interface UntilApprovedOptions<O> {
  readonly maxRounds?: number;
  /** Whether a revision changed nothing. Compares what the two hold by default. */
  readonly same?: (before: O, now: O) => boolean;
}

const HEADING = 'Your last draft was not approved. Revise it. Keep what is right, and fix what the reviewer names.';

/**
 * Revises until a separate judge approves, else returns the best draft.
 *
 * Model calls: `drafts × agent + judged × test`. Ends `bounded` with the best-scoring draft as its partial value when the
 * last round was not approved, and `blocked` with reason `stalled` when a revision changed nothing. Not where code can
 * tell right from wrong: `reflexion` is cheaper and cannot be talked round.
 *
 * @pattern O5
 * @example
 * ```ts
 * const approved = untilApproved(writer, { test: houseStyle }, { maxRounds: 3 });
 * ```
 */
export function untilApproved<I, O>(
  agent: Agent<I, O>,
  { test }: UntilApprovedParts<I, O>,
  { maxRounds = 3, same = isEqual }: UntilApprovedOptions<O> = {},
): Described<Agent<I, O>> {
  checkCounts('untilApproved (O5)', { maxRounds });
  const upToAll = (fact: string) => ({ fact, least: 1, most: { param: 'maxRounds' } }) as const;
  const about = {
    id: 'O5',
    name: 'untilApproved',
    params: { maxRounds },
    parts: { agent, test },
    apart: [['test', 'agent']],
    calls: {
      sum: [{ times: [upToAll('drafts'), { part: 'agent' }] }, { times: [upToAll('judged'), { part: 'test' }] }],
    },
  } as const;
  return pattern(about, async (run, input: I) => {
    let best: Attempted<O> | undefined;
    let notes: readonly string[] = [];
    let last: { readonly value: O } | undefined;
    for (let round = 1; ; round++) {
      const drafted = await runPart(withNotes(run, HEADING, notes), agent, input);
      run.learnt({ drafts: round, judged: round - 1 });
      if (drafted.stop !== 'done') return drafted;
      const { value } = drafted;
      if (best !== undefined && last !== undefined && same(last.value, value))
        return blocked('the revision is the draft that was not approved', {
          partial: best.value,
          reason: { code: 'stalled', data: { rounds: round } },
        });
      const tested = await runTest(run, test, value, input);
      run.learnt({ judged: round });
      if (tested.ok) return done(value);
      best = betterOf(best, { value, tested });
      run.best(best.value);
      if (round === maxRounds) return { stop: 'bounded', bound: 'maxRounds', limit: maxRounds, partial: best.value };
      last = { value };
      notes = [`Your draft:\n${shown(value)}`, `The reviewer says:\n${tested.because}`];
    }
  });
}

const isEqual = (before: unknown, now: unknown): boolean => canonicalJson(before) === canonicalJson(now);
