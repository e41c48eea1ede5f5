import { ConfigError } from '../core/errors.js';
import type { Formula } from '../core/formula.js';
import { done } from '../core/outcome.js';
import type { Agent, Entered, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { slotsOf } from '../core/slot.js';
import { callingNoModel, type Described, isOneSession, seated } from '../core/use.js';
import { checkCounts, checkGiven } from '../kit/options.js';
import { passedOn } from '../kit/passed-on.js';
import { pattern } from '../kit/pattern.js';
import { askOnce, runPart } from '../kit/seat.js';
import { shown } from '../kit/shown.js';
import { inRounds } from './in-rounds.js';
import {
  type Brief,
  briefOf,
  briefText,
  isWhole,
  type Review,
  type ReviewIssue,
  reviewIn,
  reviewOf,
  reviewText,
} from './review-brief.js';

/** Who takes part in `withReviewers`. */
export interface WithReviewersParts<L extends string, O> {
  /** One session for each concern, three to five of them. Its setup is its rubric, which nobody else reads. */
  readonly reviewers: Readonly<Record<L, Session>>;
  /** Turns all reviews into one brief. */
  readonly editor: Session;
  /** Writes the next draft. */
  readonly reviser: Session<O>;
}

/** A reviewer that is asked in a way of its own: once, and its answer is read by code. */
export interface Looking<O, F extends ReviewIssue> {
  /** Who is asked. */
  readonly session: Session<unknown>;
  look(run: Run, draft: O): Promise<readonly F[]>;
}

/** Who takes part in a review without a revision. */
export interface ReviewParts<L extends string, O, F extends ReviewIssue> {
  readonly reviewers: Readonly<Record<L, Looking<O, F>>>;
  /** Makes one brief of all reviews, by code. */
  readonly editor: (reviews: readonly Review<F>[], draft: O) => Brief<F>;
}

/** A draft with what its reviewers said. */
export interface Reviewed<O, F extends ReviewIssue> {
  readonly draft: O;
  readonly reviews: readonly Review<F>[];
  readonly brief: Brief<F>;
}

/** Options of a review without a revision. */
export interface ReviewOptions<L extends string> {
  /** Every concern, the weightiest first: it orders the brief and decides contradictions. */
  readonly precedence: readonly L[];
  /** Concerns without whose review no draft passes. */
  readonly mandatory?: readonly L[];
}

/** Options of `withReviewers`. */
export interface WithReviewersOptions<L extends string> extends ReviewOptions<L> {
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
  parts: WithReviewersParts<L, O>,
  options: WithReviewersOptions<L>,
): Described<Agent<I, O>>;
/** Without a reviser, a draft is reviewed once and comes with its brief: for a loop with revisions of its own. */
export function withReviewers<I, O, L extends string, F extends ReviewIssue>(
  agent: Agent<I, O>,
  parts: ReviewParts<L, O, F>,
  options: ReviewOptions<L>,
): Described<Agent<I, Reviewed<O, F>>>;
export function withReviewers<I, O, L extends string, F extends ReviewIssue>(
  agent: Agent<I, O>,
  parts: WithReviewersParts<L, O> | ReviewParts<L, O, F>,
  options: WithReviewersOptions<L>,
): Described<Agent<I, O>> | Described<Agent<I, Reviewed<O, F>>> {
  const { reviewers, editor } = parts;
  checkGiven('withReviewers (O9)', { agent, reviewers, editor, precedence: options.precedence });
  if ('reviser' in parts && parts.reviser !== undefined) return revising(agent, parts, options);
  if (typeof editor === 'function') return reviewing(agent, parts as ReviewParts<L, O, F>, options);
  return refuse('needs a reviser, or an editor in code where nothing is revised.');
}

function revising<I, O, L extends string>(
  agent: Agent<I, O>,
  { reviewers, editor, reviser }: WithReviewersParts<L, O>,
  { precedence, mandatory = [], maxRounds = 2 }: WithReviewersOptions<L>,
): Described<Agent<I, O>> {
  checkCounts('withReviewers (O9)', { maxRounds });
  const lenses = Object.keys(reviewers) as L[];
  checkMost(lenses);
  checkLenses(lenses, reviewers, precedence, mandatory);
  const about = {
    ...ABOUT,
    params: { maxRounds, precedence, mandatory },
    parts: { agent, reviewers: lenses.map((lens) => reviewers[lens]), editor, reviser },
    calls: callsOf(maxRounds),
  };
  return pattern(about, (run, input: I) => {
    run.learned({ reviewed: 0, edits: 0, revisions: 0 });
    let edits = 0;
    let last: Brief;
    return inRounds<O>(run, {
      limit: maxRounds,
      bound: 'maxRounds',
      draft: () => runPart(run, agent, input),
      judge: async (value, round) => {
        run.learned({ reviewed: round });
        const reviews = await reviewed(run, reviewers, lenses, value);
        const { brief, tries } = await briefOf(run, editor, reviews, { precedence, mandatory });
        edits += tries;
        last = brief;
        tell(run, { round, edits, reviews, brief });
        return brief.passes ? { ok: true } : { ok: false, because: brief.words, score: -brief.ranked.length };
      },
      revise: async (value, _failed, round) => {
        const revised = await askOnce(run, reviser, revisionText(input, value, last));
        run.learned({ revisions: round });
        return revised;
      },
    });
  });
}

/** Everything is reviewed, and nothing is revised. What an editor in code can bring together has no most. */
function reviewing<I, O, L extends string, F extends ReviewIssue>(
  agent: Agent<I, O>,
  { reviewers, editor }: ReviewParts<L, O, F>,
  { precedence, mandatory = [] }: ReviewOptions<L>,
): Described<Agent<I, Reviewed<O, F>>> {
  const lenses = Object.keys(reviewers) as L[];
  const sessions = Object.fromEntries(lenses.map((lens) => [lens, reviewers[lens].session]));
  checkLenses(lenses, sessions, precedence, mandatory);
  const about = {
    ...ABOUT,
    params: { maxRounds: 1, precedence, mandatory },
    parts: { agent, reviewers: Object.values(sessions), editor: callingNoModel(editor.bind(undefined)) },
    calls: callsOf(1),
  };
  return pattern(about, async (run, input: I) => {
    run.learned({ reviewed: 0, edits: 0, revisions: 0 });
    const drafted = await runPart(run, agent, input);
    if (drafted.stop !== 'done') return passedOn(drafted);
    const { value: draft } = drafted;
    run.learned({ reviewed: 1 });
    const looks = lenses.map((lens) => async (branch: Run) => done(await reviewers[lens].look(branch, draft)));
    const slots = await slotsOf(run, looks, { width: lenses.length });
    const reviews = slots.map((slot, n) => reviewOf(lenses[n] ?? '', slot));
    const edited = editor(reviews, draft);
    const brief = { ...edited, passes: edited.passes && isWhole(reviews, mandatory) };
    tell(run, { round: 1, edits: 0, reviews, brief });
    return done({ draft, reviews, brief });
  });
}

const ABOUT = {
  id: 'O9',
  name: 'withReviewers',
  apart: [
    ['reviewers', 'agent'],
    ['reviewers', 'editor'],
    ['reviewers', 'reviser'],
    ['editor', 'agent'],
  ],
  provides: ['O4', 'O17'],
} as const;

const callsOf = (maxRounds: number): Formula => ({
  sum: [
    { part: 'agent' },
    { times: [{ fact: 'reviewed', least: 0, most: { param: 'maxRounds' } }, { part: 'reviewers' }] },
    { times: [{ fact: 'edits', least: 0, most: 2 * maxRounds }, { part: 'editor' }] },
    { times: [{ fact: 'revisions', least: 0, most: maxRounds - 1 }, { part: 'reviser' }] },
  ],
});

function refuse(why: string): never {
  throw new ConfigError(`withReviewers (O9) ${why}`);
}

/** One editor reads them all. */
function checkMost(lenses: readonly string[]): void {
  if (lenses.length > MOST_REVIEWERS)
    refuse(`has ${lenses.length} reviewers: more than ${MOST_REVIEWERS} cannot be brought together well.`);
}

function checkLenses<L extends string>(
  lenses: readonly L[],
  reviewers: Readonly<Record<string, Session<unknown>>>,
  precedence: readonly L[],
  mandatory: readonly L[],
): void {
  if (lenses.length < 2)
    refuse('needs two reviewers at least, three to five as a rule. For one, use untilApproved (O5).');
  const seats = lenses.flatMap((lens) => (reviewers[lens] === undefined ? [] : [seated(reviewers[lens])]));
  const twice = seats.findIndex((seat, index) => seats.slice(0, index).some((other) => isOneSession(seat, other)));
  if (twice >= 0)
    refuse(
      `needs a session of its own for each reviewer: the model and setup of "${lenses[twice]}" are those of another.`,
    );
  const isComplete = precedence.length === lenses.length && lenses.every((lens) => precedence.includes(lens));
  if (!isComplete) refuse(`needs precedence to name each of ${lenses.join(', ')} once: got ${precedence.join(', ')}.`);
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
  run.learned({ edits, lastRound: { round, passes, found, missing, offLens, ranked, contradictions, dismissed } });
  run.note({ kind: 'review', round, passes, found, missing, offLens, ranked, contradictions, dismissed });
}

function revisionText(task: unknown, value: unknown, brief: Brief): string {
  return `The task:\n<task>\n${shown(task)}\n</task>\n\nYour draft:\n<draft>\n${shown(value)}\n</draft>\n\nIt did not pass review. What to change:\n${briefText(brief)}\n\nWrite the complete new version.`;
}
