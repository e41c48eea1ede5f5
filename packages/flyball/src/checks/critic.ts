import { ConfigError } from '../core/errors.js';
import { done } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import { slotsOf } from '../core/slot.js';
import { callingNoModel } from '../core/use.js';
import type { Defect } from '../core/work.js';
import { type Brief, type Review, type ReviewIssue, reviewOf } from '../revision/review-brief.js';
import { type Looking, type Reviewed, withReviewers } from '../revision/with-reviewers.js';
import { type AdversaryParts, adversary, attackingSession } from './adversary.js';
import type { CritiqueDiagnosis, Subject, VerificationVerdict } from './contracts.js';
import { critiqueForm, foundBy, type Lens } from './critique-form.js';
import { placesOf } from './defects.js';
import { subjectPrompt } from './material.js';
import { type Found, mergeFound, severityOf } from './merge-defects.js';
import { shownTo } from './output-view.js';
import { hintFor } from './repair-hints.js';
import { checkChecker, withForm } from './reply-form.js';
import { checkRubric, DEFAULT_RUBRIC, type Rubric, rubricText } from './rubric.js';

/** A critic with its own focus. */
export interface CriticLens extends Lens {
  readonly session: Session;
  /** What this critic looks for, in a sentence or two. */
  readonly looksFor: string;
  /** Without its review there is no clean bill. */
  readonly mandatory?: boolean;
}

/** What a critic needs. */
export interface CriticParts {
  /** A session of its own: evaluating, not defending. */
  readonly session: Session;
  readonly rubric?: Rubric;
  /** Proposes edge cases, which are executed. */
  readonly adversary?: AdversaryParts;
  /** Several critics with one lens each, side by side, instead of the one; 5 at most. */
  readonly lenses?: readonly CriticLens[];
}

/** What is looked at: the verdict says where to look closely. */
interface Draft {
  readonly subject: Subject;
  readonly verdict: VerificationVerdict;
}

/** A finding of a critic, beside what it says of the defect. */
interface Finding extends ReviewIssue {
  readonly found: Found;
}

interface Critic extends Looking<Draft, Finding> {
  readonly name: string;
  readonly mandatory: boolean;
}

const INSTRUCTIONS =
  'You look for what is wrong with what others made. Report every defect that you can point at, and none that you merely suspect. Say where it is (artefact and line, or null), how severe it is from 0 to 1, whether it concerns the whole or a bounded part, what caused it, whether only an expert can decide it, and how it could be repaired. An empty list is a good answer where nothing is wrong.';
const QUESTION = 'List the defects, the most severe first.';
const MOST_LENSES = 5;

/**
 * Looks for defects in task, outputs, evidence and rubric alone: plan, reasoning, reports and scores of whoever made the
 * outputs are not shown, because a critic who reads a justification begins to share it. What the checks found comes
 * from the verdict, and is merged with what critics find. The scores are those of the verdict.
 */
export function critic(
  parts: CriticParts,
): (run: Run, subject: Subject, verdict: VerificationVerdict) => Promise<CritiqueDiagnosis> {
  const critics = criticsOf(parts);
  const [only, ...others] = critics;
  const look = only !== undefined && others.length === 0 ? alone(only) : panel(critics);
  return async (run, subject, verdict) => {
    const { reviews, brief } = await look(run, { subject, verdict });
    const missing = critics.flatMap(({ name, mandatory }) =>
      reviews.flatMap(({ lens, missing: why }) =>
        lens !== name || why === undefined ? [] : [{ critic: name, why, mandatory }],
      ),
    );
    const found = brief.issues.map((issue) => issue.found);
    const defects = found.map(({ defect }) => defect);
    return {
      scores: verdict.scores,
      defects,
      severity: severityOf(defects),
      hints: found.map(({ defect, hint }) => ({ defect: defect.id, hint })),
      ...(missing.length === 0 ? {} : { missing }),
    };
  };
}

type Look = (run: Run, draft: Draft) => Promise<Pick<Reviewed<Draft, Finding>, 'reviews' | 'brief'>>;

/** Several critics are the reviewers of O9. The commit loop has a repair of its own, so nothing is revised here. */
function panel(critics: readonly Critic[]): Look {
  const precedence = critics.map(({ name }) => name);
  const review = withReviewers(
    asGiven,
    { reviewers: Object.fromEntries(critics.map((each) => [each.name, each])), editor: merged },
    { precedence, mandatory: critics.filter(({ mandatory }) => mandatory).map(({ name }) => name) },
  );
  return async (run, draft) => {
    const ended = await review(run, draft);
    if (ended.stop === 'done') return ended.value;
    throw new ConfigError(`A review ended as ${ended.stop}.`); // it has no part that could end otherwise
  };
}

const asGiven = callingNoModel<Agent<Draft, Draft>>(async (_run, draft) => done(draft));

/** One critic is no panel: it is asked, and that is all. */
function alone({ name, look }: Critic): Look {
  return async (run, draft) => {
    const slots = await slotsOf(run, [async (branch: Run) => done(await look(branch, draft))], { width: 1 });
    const reviews = slots.map((slot) => reviewOf(name, slot));
    return { reviews, brief: merged(reviews, draft) };
  };
}

/** One list out of all reviews and of what the checks found: the editor of the panel, in code. */
function merged(reviews: readonly Review<Finding>[], { verdict }: Draft): Brief<Finding> {
  const said = reviews.flatMap(({ issues }) => issues.map(({ found }) => found));
  const issues = mergeFound([...verdict.defects.map(known), ...said]).map((found) => findingOf(found, 'all'));
  return {
    passes: issues.length === 0,
    ranked: issues.map(({ id }) => id),
    contradictions: [],
    dismissed: [],
    words: '',
    issues,
  };
}

function findingOf(found: Found, lens: string): Finding {
  const { id, description, facts } = found.defect;
  return { id, lens, text: description, isOffLens: facts?.['offLens'] === true, found };
}

/** What was checked or executed says itself what to do about it. */
function known(defect: Defect): Found {
  return { defect, hint: hintFor(defect).hint };
}

/** Nothing was found, by everybody who had to look. */
export function isCleanBill({ defects, missing = [] }: CritiqueDiagnosis): boolean {
  return defects.length === 0 && !missing.some(({ mandatory }) => mandatory);
}

function criticsOf(parts: CriticParts): readonly Critic[] {
  const rubric = checkRubric(parts.rubric ?? DEFAULT_RUBRIC);
  const { lenses = [] } = parts;
  if (lenses.length > MOST_LENSES)
    throw new ConfigError(`More than ${MOST_LENSES} critics cannot be brought together well, got ${lenses.length}.`);
  const names = lenses.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ConfigError(`Two critics are called "${twice}". Give each a name of its own.`);
  const looking =
    lenses.length === 0
      ? [lookThrough(parts.session, rubric)]
      : lenses.map((lens) => lookThrough(lens.session, rubric, lens));
  return parts.adversary === undefined ? looking : [...looking, attacker(parts.adversary, looking)];
}

function lookThrough(session: Session, rubric: Rubric, lens?: CriticLens): Critic {
  checkChecker(session, 'critic');
  const name = lens?.name ?? session.name;
  const focus = lens === undefined ? '' : `\n\nYou look through one lens, ${lens.name}: ${lens.looksFor}`;
  const instructions = `${INSTRUCTIONS}${focus}\n\n${rubricText(rubric.dimensions, rubric.version)}`;
  const looking = withForm(session, { instructions, form: critiqueForm() });
  return {
    name,
    mandatory: lens === undefined || lens.mandatory === true,
    session: looking,
    look: async (run, { subject, verdict }) => {
      const input = subjectPrompt(subject, QUESTION, shownTo(session, placesOf(verdict.defects)));
      const { value } = await run.ask(looking, input);
      return value.defects.map((said) => findingOf(foundBy(said, subject.outputs.artefacts, lens), name));
    },
  };
}

function attacker(parts: AdversaryParts, others: readonly Critic[]): Critic {
  const attack = adversary(parts);
  const { name } = parts.session;
  const own = others.some((other) => other.name === name) ? 'adversary' : name;
  return {
    name: own,
    mandatory: false,
    session: attackingSession(parts),
    look: async (run, { subject, verdict }) => {
      const { defects } = await attack(run, subject, placesOf(verdict.defects));
      return defects.map((defect) => findingOf(known(defect), own));
    },
  };
}
