import { canonicalJson } from '../core/canonical.js';
import type { Formula } from '../core/formula.js';
import { blocked } from '../core/outcome.js';
import type { Agent } from '../core/run.js';
import type { Described } from '../core/use.js';
import { withNotes } from '../kit/notes.js';
import { pattern } from '../kit/pattern.js';
import { runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { runTest, type Test } from '../kit/tested.js';
import { inRounds } from './in-rounds.js';

/** What a reviser of `untilApproved` is given. */
export interface Unapproved<I, O> {
  readonly input: I;
  readonly draft: O;
  /** What the test says. */
  readonly because: string;
}

/** Who takes part in `untilApproved`. */
export interface UntilApprovedParts<I, O> {
  /** Approves of a draft, or says what is wrong with it. It alone knows what is asked of a draft. */
  readonly test: Test<I, O>;
  /** Makes the next draft. Where it is absent, the agent does, with its draft and what is wrong with it as notes. */
  readonly reviser?: Agent<Unapproved<I, O>, O>;
}

/** Options of `untilApproved`. */
export interface UntilApprovedOptions<O> {
  readonly maxRounds?: number;
  /** Whether a revision changed nothing. Compares what the two hold by default. */
  readonly same?: (before: O, now: O) => boolean;
}

const HEADING = 'Your last draft was not approved. Revise it. Keep what is right, and fix what the reviewer names.';

/** O5, whoever uses it: drafts, verdicts and revisions, in a scope that says so. */
export function inApproval<I, O>(
  agent: Agent<I, O>,
  { test, reviser }: UntilApprovedParts<I, O>,
  { maxRounds, same = isEqual }: UntilApprovedOptions<O> & { readonly maxRounds: number },
): Described<Agent<I, O>> {
  const about = {
    id: 'O5',
    name: 'untilApproved',
    params: { maxRounds },
    parts: { agent, test, reviser },
    apart: [
      ['test', 'agent'],
      ['test', 'reviser'],
    ],
    calls: callsOf(maxRounds, reviser !== undefined),
  } as const;
  return pattern(about, (run, input: I) => {
    const told = (drafts: number) =>
      run.learned({ drafts, ...(reviser === undefined ? {} : { revisions: drafts - 1 }) });
    let last: { readonly value: O } | undefined;
    return inRounds<O>(run, {
      limit: maxRounds,
      bound: 'maxRounds',
      draft: async () => {
        run.learned({ judged: 0 });
        const drafted = await runPart(run, agent, input);
        told(1);
        return drafted;
      },
      judge: async (value, round, best) => {
        if (best !== undefined && last !== undefined && same(last.value, value))
          return blocked('the revision is the draft that was not approved', {
            partial: best,
            reason: { code: 'stalled', data: { rounds: round } },
          });
        last = { value };
        const tested = await runTest(run, test, value, input);
        run.learned({ judged: round });
        return tested;
      },
      revise: async (draft, { because }, round) => {
        const notes = [`Your draft:\n${shown(draft)}`, `The reviewer says:\n${because}`];
        const drafted =
          reviser === undefined
            ? await runPart(withNotes(run, HEADING, notes), agent, input)
            : await runPart(run, reviser, { input, draft, because });
        told(round + 1);
        return drafted;
      },
    });
  });
}

function callsOf(maxRounds: number, hasReviser: boolean): Formula {
  const upToAll = (fact: string, part: string): Formula => ({
    times: [{ fact, least: 1, most: { param: 'maxRounds' } }, { part }],
  });
  if (!hasReviser) return { sum: [upToAll('drafts', 'agent'), upToAll('judged', 'test')] };
  const revisions = { fact: 'revisions', least: 0, most: maxRounds - 1 };
  return { sum: [{ part: 'agent' }, upToAll('judged', 'test'), { times: [revisions, { part: 'reviser' }] }] };
}

const isEqual = (before: unknown, now: unknown): boolean => canonicalJson(before) === canonicalJson(now);
