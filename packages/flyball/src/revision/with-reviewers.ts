import { ConfigError } from '../core/errors.js';
import { done } from '../core/outcome.js';
import type { Agent, Entered, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { slotsOf } from '../core/slot.js';
import type { Described } from '../core/use.js';
import { isOneSession, seated } from '../core/use.js';
import { checkCounts } from '../kit/options.js';
import { pattern } from '../kit/pattern.js';
import { askOnce, runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { type Attempted, betterOf } from '../kit/tested.js';
import { type Brief, briefOf, briefText, type Review, reviewIn, reviewText } from './review-brief.js';

/** Who takes part in `withReviewers`. */
export interface WithReviewersParts<L extends string, O> {
  /** One session for each concern, three to five of them. Its setup is its rubric, which nobody else reads. */
  readonly reviewers: Readonly<Record<L, Session>>;
  /** Turns all reviews into one brief. */
  readonly editor: Session;
  /** Writes the next draft. */
  readonly reviser: Session<O>;
}

/** Options of `withReviewers`. */
export interface WithReviewersOptions<L extends string> {
  /** Every concern, the weightiest first: it orders the brief and decides contradictions. */
  readonly precedence: readonly L[];
  /** Concerns without whose review no draft passes. */
  readonly mandatory?: readonly L[];
  readonly maxRounds?: number;
}

const MOST_REVIEWERS = 5;

/**
 * One reviewer for each concern, one brief for the revision.
 *
 * Model calls: `agent + reviewed × reviewers + edits + revisions`, which is `reviewed × (reviewers + 2)` where every brief
 * can be read at once. Ends `bounded` with the draft that had the fewest faults when none passed. Not for one concern
 * (`untilApproved`), and not where answers can be counted (`selfConsistency`).
 *
 * @pattern O9
 * @example
 * ```ts
 * const reviewed = withReviewers(
 *   coder,
 *   { reviewers: { security, performance, style }, editor, reviser },
 *   { precedence: ['security', 'performance', 'style'], mandatory: ['security'] },
 * );
 * ```
 */
export function withReviewers<I, O, L extends string>(
  agent: Agent<I, O>,
  { reviewers, editor, reviser }: WithReviewersParts<L, O>,
  { precedence, mandatory = [], maxRounds = 2 }: WithReviewersOptions<L>,
): Described<Agent<I, O>> {
  checkCounts('withReviewers (O9)', { maxRounds });
  const lenses = Object.keys(reviewers) as L[];
  checkLenses(lenses, reviewers, precedence, mandatory);
  const about = {
    id: 'O9',
    name: 'withReviewers',
    params: { maxRounds, precedence, mandatory },
    parts: { agent, reviewers: lenses.map((lens) => reviewers[lens]), editor, reviser },
    apart: [
      ['reviewers', 'agent'],
      ['reviewers', 'editor'],
      ['reviewers', 'reviser'],
      ['editor', 'agent'],
    ],
    provides: ['O4', 'O17'],
    calls: {
      sum: [
        { part: 'agent' },
        { times: [{ fact: 'reviewed', least: 0, most: { param: 'maxRounds' } }, { part: 'reviewers' }] },
        { times: [{ fact: 'edits', least: 0, most: 2 * maxRounds }, { part: 'editor' }] },
        { times: [{ fact: 'revisions', least: 0, most: maxRounds - 1 }, { part: 'reviser' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, input: I) => {
    run.learnt({ reviewed: 0, edits: 0, revisions: 0 });
    let draft = await runPart(run, agent, input);
    let best: Attempted<O> | undefined;
    let edits = 0;
    for (let round = 1; draft.stop === 'done'; round++) {
      const { value } = draft;
      run.learnt({ reviewed: round });
      const reviews = await reviewed(run, reviewers, lenses, value);
      const { brief, tries } = await briefOf(run, editor, reviews, { precedence, mandatory });
      edits += tries;
      tell(run, { round, edits, reviews, brief });
      if (brief.passes) return done(value);
      best = betterOf(best, { value, tested: { ok: false, because: brief.words, score: -brief.ranked.length } });
      run.best(best.value);
      if (round === maxRounds) return { stop: 'bounded', bound: 'maxRounds', limit: maxRounds, partial: best.value };
      draft = await askOnce(run, reviser, revisionText(input, value, brief));
      run.learnt({ revisions: round });
    }
    return draft;
  });
}

function checkLenses<L extends string>(
  lenses: readonly L[],
  reviewers: Readonly<Record<L, Session>>,
  precedence: readonly L[],
  mandatory: readonly L[],
): void {
  const refuse = (why: string): never => {
    throw new ConfigError(`withReviewers (O9) ${why}`);
  };
  if (lenses.length < 2)
    refuse('needs two reviewers at least, three to five as a rule. For one, use untilApproved (O5).');
  if (lenses.length > MOST_REVIEWERS)
    refuse(`has ${lenses.length} reviewers: more than ${MOST_REVIEWERS} cannot be brought together well.`);
  const seats = lenses.map((lens) => seated(reviewers[lens]));
  const twice = seats.findIndex((seat, index) => seats.slice(0, index).some((other) => isOneSession(seat, other)));
  if (twice >= 0)
    refuse(
      `needs a session of its own for each reviewer: the model and setup of "${lenses[twice]}" are those of another.`,
    );
  const isWhole = precedence.length === lenses.length && lenses.every((lens) => precedence.includes(lens));
  if (!isWhole) refuse(`needs precedence to name each of ${lenses.join(', ')} once: got ${precedence.join(', ')}.`);
  const unknown = mandatory.find((lens) => !lenses.includes(lens));
  if (unknown !== undefined) refuse(`has no reviewer "${unknown}", which is mandatory.`);
}

/** Side by side. A reviewer sees the draft and nothing else: neither the task nor what another one says. */
async function reviewed<L extends string, O>(
  run: Entered,
  reviewers: Readonly<Record<L, Session>>,
  lenses: readonly L[],
  value: O,
): Promise<readonly Review[]> {
  const branches = lenses.map(
    (lens) => (branch: Run) => askOnce(branch, reviewers[lens], reviewText(lens, shown(value))),
  );
  const slots = await slotsOf(run, branches, { width: lenses.length });
  return slots.map((slot, index) => reviewIn(lenses[index] ?? '', slot));
}

function tell(
  run: Entered,
  { round, edits, reviews, brief }: { round: number; edits: number; reviews: readonly Review[]; brief: Brief },
): void {
  const { ranked, contradictions, dismissed, passes } = brief;
  const found = Object.fromEntries(reviews.map(({ lens, issues }) => [lens, issues.length]));
  const missing = reviews.flatMap(({ lens, missing: why }) => (why === undefined ? [] : [{ lens, why }]));
  const offLens = reviews.flatMap(({ issues }) => issues.filter((one) => one.isOffLens).map(({ id }) => id));
  run.learnt({ edits, lastRound: { round, passes, found, missing, offLens, ranked, contradictions, dismissed } });
  run.note({ kind: 'review', round, passes, found, missing, offLens, ranked, contradictions, dismissed });
}

function revisionText(task: unknown, value: unknown, brief: Brief): string {
  return `The task:\n<task>\n${shown(task)}\n</task>\n\nYour draft:\n<draft>\n${shown(value)}\n</draft>\n\nIt did not pass review. What to change:\n${briefText(brief)}\n\nWrite the complete new version.`;
}
