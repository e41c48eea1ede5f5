import type { Run } from 'flyball';
import {
  answered,
  askForm,
  checkChecker,
  checkRubric,
  JUDGE_INSTRUCTIONS,
  type JudgeParts,
  originOf,
  rubricText,
  sideBySide,
} from 'flyball/internal';
import type { Breach, ConstraintGuard } from 'flyball/patterns/signal';
import type { Trajectory, TrajectorySpan } from './trajectory.js';
import { windowsOf } from './trajectory.js';
import { trajectoryForm, windowPrompt } from './trajectory-form.js';
import { JUDGE_LIMITS } from './trajectory-rubric.js';
import { joinedVerdict, type TrajectoryVerdict, type Violation } from './trajectory-verdict.js';

/** What a judge of conversations needs. */
export interface TrajectoryJudgeParts extends JudgeParts {
  /** What the agent must never say: its patterns are looked for in every word and call of the agent, by code. */
  readonly limits?: ConstraintGuard;
}

/** A conversation that is judged, with its goal and what is expected. */
export interface JudgedConversation {
  readonly goal: string;
  /** In words, for the judge alone. */
  readonly expected: string;
  readonly trajectory: Trajectory;
}

/** Judges a whole conversation. */
export type TrajectoryJudge = (run: Run, subject: JudgedConversation) => Promise<TrajectoryVerdict>;

/** Of the judge's window, for the conversation. */
const SHARE = 0.5;
const CHARS_PER_TOKEN = 3;
const WIDTH = 3;

/**
 * Scores a whole conversation, span by span. A conversation that does not fit is read in parts, all of them: a dimension
 * is worth its worst part, and a violation of a blocking dimension fails the whole wherever it stands.
 */
export function trajectoryJudge(parts: TrajectoryJudgeParts): TrajectoryJudge {
  const rubric = checkRubric(parts.rubric);
  checkChecker(parts.session, 'trajectory judge');
  const { model } = parts.session;
  const session = JUDGE_LIMITS.session(parts.session);
  const instructions = `${JUDGE_INSTRUCTIONS}\n\n${rubricText(rubric.dimensions, rubric.version)}`;
  const room = Math.floor(model.capabilities.window * SHARE * CHARS_PER_TOKEN);
  return async (run, subject) => {
    const windows = windowsOf(subject.trajectory.spans, room);
    const asks = windows.map((spans, index) => async (branch: Run) => {
      const form = trajectoryForm(rubric, spans);
      const input = windowPrompt(subject, spans, { index, of: windows.length });
      return askForm(branch, { session, instructions, form, input });
    });
    const found = limitBreaches(subject.trajectory.spans, parts.limits);
    const reply = await answered(sideBySide(run, asks, WIDTH));
    if (!reply.ok)
      return { kind: 'unscored', because: reply.why, passed: false, violations: found, ...originOf(parts, model.id) };
    const replies = reply.value.map(({ value }) => value);
    return joinedVerdict({ rubric, replies, found, origin: originOf(parts, reply.value[0]?.model ?? model.id) });
  };
}

/** By code, so that nothing the agent says about itself can talk the judge out of it. */
function limitBreaches(spans: readonly TrajectorySpan[], limits: ConstraintGuard | undefined): readonly Violation[] {
  if (limits === undefined) return [];
  return spans
    .filter(({ by }) => by === 'agent')
    .flatMap(({ id, text }) => limits.find(text).map((breach) => violationOf(id, breach)));
}

function violationOf(span: string, { id, quote }: Breach): Violation {
  return { span, dimension: 'safety', quote, reasoning: `It breaches the limit "${id}".`, by: 'pattern' };
}
