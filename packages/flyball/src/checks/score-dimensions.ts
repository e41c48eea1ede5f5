import { useFrom } from '../core/about.js';
import { type Described, described } from '../core/use.js';
import type { TaskSpec } from '../core/work.js';
import { markOf } from '../kit/pattern.js';
import { answered } from './answered.js';
import { asking } from './asking-judge.js';
import type { Scores } from './contracts.js';
import { subjectPrompt } from './material.js';
import { shownTo } from './output-view.js';
import { askForm, exactly, type ReplyForm, replyForm, TEXT, UNIT } from './reply-form.js';
import {
  aggregate,
  failedDimensions,
  passesRubric,
  type Rubric,
  type RubricDimension,
  rubricHash,
  rubricText,
} from './rubric.js';
import {
  type DimensionScore,
  JUDGE_INSTRUCTIONS,
  type JudgeParts,
  originOf,
  type ScoredVerdict,
  type SingleJudge,
  type VerdictOrigin,
} from './verdict.js';

const QUESTION =
  'Score what was made on every dimension. List under `missing` the numbers of the requirements that it does not cover, and under `gaps` up to five search queries for evidence that the task needs and that is not there.';

const MAX_GAPS = 5;

/** Some dimensions of a rubric: all of them, or the one that is looked at again. Each verdict is a use of V15. */
export function scoreDimensions(parts: JudgeParts, dimensions: readonly RubricDimension[]): Described<SingleJudge> {
  const { session, rubric } = parts;
  const use = useFrom({
    id: 'V15',
    name: 'rubricJudge',
    params: { rubric: rubric.version, hash: rubricHash(rubric) },
    parts: { judge: asking(session) },
    calls: { part: 'judge' },
    provides: ['V20'],
  });
  const mark = markOf(use);
  const score = scoring(parts, dimensions);
  const judge: SingleJudge = (run, subject, focus) =>
    run.enter(mark, async (inside) => {
      const found = await score(inside, subject, focus);
      inside.learned({ passed: found.passed, model: found.model, calibration: found.calibration });
      return found;
    });
  return described(judge, use);
}

function scoring(parts: JudgeParts, dimensions: readonly RubricDimension[]): SingleJudge {
  const { session, rubric } = parts;
  const instructions = `${JUDGE_INSTRUCTIONS}\n\n${rubricText(dimensions, rubric.version)}`;
  return async (run, subject, focus) => {
    const form = scoreForm(dimensions, subject.task);
    const input = subjectPrompt(subject, QUESTION, shownTo(session, focus));
    const reply = await answered(askForm(run, { session, instructions, form, input }));
    if (!reply.ok) return { kind: 'unscored', because: reply.why, passed: false, ...originOf(parts, session.model.id) };
    return scoredBy(reply.value.value, subject.task, { ...rubric, dimensions }, originOf(parts, reply.value.model));
  };
}

interface ScoreReply {
  readonly dimensions: Readonly<Record<string, { readonly reasoning: string; readonly score: number }>>;
  readonly missing: readonly number[];
  readonly gaps: readonly string[];
}

function scoreForm(dimensions: readonly RubricDimension[], { requirements }: TaskSpec): ReplyForm<ScoreReply> {
  // reasoning stands before the score, so that the score is written by a model that has reasoned
  const each = exactly({ reasoning: TEXT, score: UNIT });
  const count = requirements.length;
  return replyForm(
    exactly({
      dimensions: exactly(Object.fromEntries(dimensions.map(({ name }) => [name, each]))),
      missing: { type: 'array', maxItems: count, items: { type: 'integer', minimum: 1, maximum: Math.max(1, count) } },
      gaps: { type: 'array', maxItems: MAX_GAPS, items: { type: 'string', minLength: 1, maxLength: 300 } },
    }),
  );
}

function scoredBy(reply: ScoreReply, task: TaskSpec, rubric: Rubric, origin: VerdictOrigin): ScoredVerdict {
  const dimensions = rubric.dimensions.map(({ name }): DimensionScore => {
    const { reasoning, score } = reply.dimensions[name] ?? { reasoning: '', score: 0 };
    return { name, reasoning, score };
  });
  const scores: Partial<Scores> = Object.fromEntries(dimensions.map(({ name, score }) => [name, score]));
  const failed = failedDimensions(scores, rubric);
  return {
    kind: 'scored',
    dimensions,
    scores,
    aggregate: aggregate(scores, rubric),
    passed: passesRubric(scores, rubric),
    failed: failed.map(({ name }) => name),
    blockedBy: failed.filter(({ blocking }) => blocking === true).map(({ name }) => name),
    missing: task.requirements.filter((_requirement, index) => reply.missing.includes(index + 1)),
    gaps: reply.gaps,
    ...origin,
  };
}
