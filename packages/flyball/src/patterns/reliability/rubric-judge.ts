import type { Subject } from '../../checks/contracts.js';
import { checkChecker } from '../../checks/reply-form.js';
import { checkRubric, type Rubric } from '../../checks/rubric.js';
import { scoreDimensions } from '../../checks/score-dimensions.js';
import type { Calibration, JudgeVerdict, ScoredVerdict, SingleJudge } from '../../checks/verdict.js';
import { sha256 } from '../../core/canonical.js';
import type { Session } from '../../core/session.js';
import { type Described, described, type Use, useOf } from '../../core/use.js';
import { checkGiven } from '../../kit/options.js';
import { scoped } from '../../kit/pattern.js';
import { shown } from '../../kit/shown.js';
import type { Test, Tested } from '../../kit/tested.js';

/** Who judges, and by what. */
export interface RubricJudgeParts {
  /** A session of its own, even on the model of whoever wrote; another model family judges better. It has no tools. */
  readonly judge: Session;
  readonly rubric: Rubric;
  /** Without one that fits rubric and model, verdicts say that they are uncalibrated. */
  readonly calibration?: Calibration;
}

/** A test by a rubric. `verdict` gives the whole verdict on a subject with its evidence. */
export interface RubricJudge extends Test<unknown, unknown> {
  readonly verdict: SingleJudge;
}

/**
 * Scores a result against a written rubric.
 *
 * Model calls: one, and up to two more where the reply does not fit. Every dimension is reasoned about and scored by
 * itself; code adds them up, and a blocking dimension that fails fails the whole. A reply that cannot be read is
 * `unscored`, which never passes. Only the judge reads the rubric. Not where code can tell right from wrong, and not before
 * `calibrate` has compared it with people: until then verdicts say `uncalibrated`.
 *
 * @pattern V15
 * @example
 * ```ts
 * const readable = rubricJudge({ judge: otherModel, rubric: reviewRubric });
 * const approved = untilApproved(writer, { test: readable }, { maxRounds: 3 });
 * ```
 */
export function rubricJudge({ judge, rubric, calibration }: RubricJudgeParts): Described<RubricJudge> {
  checkGiven('rubricJudge (V15)', { judge, rubric });
  checkRubric(rubric);
  checkChecker(judge, 'judge');
  const parts = { session: judge, rubric, ...(calibration === undefined ? {} : { calibration }) };
  const verdict = scoreDimensions(parts, rubric.dimensions);
  const test: Test<unknown, unknown> = async (run, value, input) =>
    testedBy(await verdict(run, subjectOf(value, input)), rubric);
  return described(scoped(Object.assign(test, { verdict })), useOf(verdict) as Use);
}

/** A value and what it was made for, as a judge is shown them. */
function subjectOf(value: unknown, input: unknown): Subject {
  const goal = shown(input ?? '');
  return {
    task: { id: sha256(goal).slice(0, 16), goal, requirements: [], taskClass: 'test' },
    outputs: { artefacts: [{ name: 'answer', text: shown(value) }], reports: [] },
    evidence: { items: [], gaps: [] },
  };
}

/** What a wrapper reads of a verdict. What could not be scored has not passed, and has no score. */
function testedBy(verdict: JudgeVerdict, rubric: Rubric): Tested {
  if (verdict.kind === 'unscored') return { ok: false, because: `It could not be scored: ${verdict.because}` };
  const { passed, aggregate } = verdict;
  return passed ? { ok: true, score: aggregate } : { ok: false, because: reasonsIn(verdict, rubric), score: aggregate };
}

function reasonsIn({ dimensions, failed, aggregate }: ScoredVerdict, { threshold }: Rubric): string {
  const weak = dimensions.filter(({ name }) => failed.includes(name));
  if (weak.length === 0) return `It scores ${aggregate.toFixed(2)}, and ${threshold} is needed.`;
  return weak.map(({ name, score, reasoning }) => `${name} (${score.toFixed(2)}): ${reasoning}`).join('\n');
}
