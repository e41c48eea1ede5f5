import { ConfigError } from '../core/errors.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Defect, Location } from '../core/work.js';
import { type AdversaryParts, adversary } from './adversary.js';
import { independently } from './answered.js';
import type { CritiqueDiagnosis, Subject, VerificationVerdict } from './contracts.js';
import { critiqueForm, foundBy, type Lens } from './critique-form.js';
import { placesOf } from './defects.js';
import { subjectPrompt } from './material.js';
import { type Found, mergeFound, severityOf } from './merge-defects.js';
import { shownTo } from './output-view.js';
import { hintFor } from './repair-hints.js';
import { askForm, checkChecker } from './reply-form.js';
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

type Criticise = (run: Run, subject: Subject, focus: readonly Location[]) => Promise<readonly Found[]>;

interface Critic {
  readonly name: string;
  readonly mandatory: boolean;
  readonly look: Criticise;
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
  return async (run, subject, verdict) => {
    const focus = placesOf(verdict.defects);
    const looks = critics.map(
      ({ look }) =>
        (branch: Run) =>
          look(branch, subject, focus),
    );
    const answers = await independently(run, looks, looks.length);
    const said = answers.flatMap((answer) => (answer.ok ? answer.value : []));
    const found = mergeFound([...verdict.defects.map(known), ...said]);
    const missing = critics.flatMap(({ name, mandatory }, index) => {
      const answer = answers[index];
      return answer === undefined || answer.ok ? [] : [{ critic: name, why: answer.why, mandatory }];
    });
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
  const looking =
    lenses.length === 0
      ? [{ name: parts.session.name, mandatory: true, look: lookThrough(parts.session, rubric) }]
      : lenses.map((lens) => ({
          name: lens.name,
          mandatory: lens.mandatory === true,
          look: lookThrough(lens.session, rubric, lens),
        }));
  return parts.adversary === undefined ? looking : [...looking, attacker(parts.adversary)];
}

function lookThrough(session: Session, rubric: Rubric, lens?: CriticLens): Criticise {
  checkChecker(session, 'critic');
  const form = critiqueForm();
  const focus = lens === undefined ? '' : `\n\nYou look through one lens, ${lens.name}: ${lens.looksFor}`;
  const instructions = `${INSTRUCTIONS}${focus}\n\n${rubricText(rubric.dimensions, rubric.version)}`;
  return async (run, subject, focus) => {
    const input = subjectPrompt(subject, QUESTION, shownTo(session, focus));
    const { value } = await askForm(run, { session, instructions, form, input });
    return value.defects.map((said) => foundBy(said, subject.outputs.artefacts, lens));
  };
}

function attacker(parts: AdversaryParts): Critic {
  const attack = adversary(parts);
  return {
    name: parts.session.name,
    mandatory: false,
    look: async (run, subject, focus) => (await attack(run, subject, focus)).defects.map(known),
  };
}
