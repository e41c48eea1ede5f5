import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { ExecutionOutputs } from '../core/work.js';
import { answered, sideBySide } from './answered.js';
import type { Scores, Subject } from './contracts.js';
import { evidenceText, outputsText, prompt, taskText } from './material.js';
import { shownTo } from './output-view.js';
import { askForm, exactly, type ReplyForm, replyForm, TEXT, UNIT } from './reply-form.js';
import { aggregate, failedDimensions, type Rubric, rubricText } from './rubric.js';
import { JUDGE_INSTRUCTIONS, type JudgeParts, originOf, type PairJudge, type Winner } from './verdict.js';

interface PairReply {
  readonly dimensions: Readonly<
    Record<string, { readonly reasoning: string; readonly first: number; readonly second: number }>
  >;
}

/** Both orders are asked, because judges favor a place: only what wins from both places has won. */
export function comparePair(parts: JudgeParts): PairJudge {
  const { session, rubric } = parts;
  const instructions = `${JUDGE_INSTRUCTIONS}\n\n${rubricText(rubric.dimensions, rubric.version)}`;
  const form = pairForm(rubric);
  const ask = (subject: Subject, first: ExecutionOutputs, second: ExecutionOutputs) => (branch: Run) =>
    askForm(branch, { session, instructions, form, input: pairPrompt(session, subject, { first, second }) });
  return async (run, subject, other) => {
    const orders = [ask(subject, subject.outputs, other), ask(subject, other, subject.outputs)];
    const reply = await answered(sideBySide(run, orders, 2));
    if (!reply.ok) return { kind: 'unscored', because: reply.why, winner: 'tie', ...originOf(parts, session.model.id) };
    const [straight, swapped] = reply.value as [{ value: PairReply; model: string }, { value: PairReply }];
    const inFirst = named(better(straight.value, rubric), ['subject', 'other']);
    const inSecond = named(better(swapped.value, rubric), ['other', 'subject']);
    const winner = inFirst === inSecond ? inFirst : 'tie';
    return { kind: 'compared', winner, orders: [inFirst, inSecond], ...originOf(parts, straight.model) };
  };
}

function named(better: 'first' | 'second' | 'tie', [first, second]: readonly [Winner, Winner]): Winner {
  return better === 'tie' ? 'tie' : better === 'first' ? first : second;
}

/** What fails a blocking dimension loses whatever its sum; two that fail are equally unfit. */
function better({ dimensions }: PairReply, rubric: Rubric): 'first' | 'second' | 'tie' {
  const scoresOf = (place: 'first' | 'second'): Partial<Scores> =>
    Object.fromEntries(rubric.dimensions.map(({ name }) => [name, dimensions[name]?.[place] ?? 0]));
  const worthOf = (scores: Partial<Scores>): number =>
    failedDimensions(scores, rubric).some(({ blocking }) => blocking === true) ? -1 : aggregate(scores, rubric);
  const difference = worthOf(scoresOf('first')) - worthOf(scoresOf('second'));
  return Math.abs(difference) < 1e-9 ? 'tie' : difference > 0 ? 'first' : 'second';
}

function pairForm({ dimensions }: Rubric): ReplyForm<PairReply> {
  const each = exactly({ reasoning: TEXT, first: UNIT, second: UNIT });
  return replyForm(exactly({ dimensions: exactly(Object.fromEntries(dimensions.map(({ name }) => [name, each]))) }));
}

function pairPrompt(
  session: Session,
  { task, evidence }: Subject,
  { first, second }: { readonly first: ExecutionOutputs; readonly second: ExecutionOutputs },
) {
  const room = shownTo(session).room / 2; // both have to fit
  const shown = (place: string, outputs: ExecutionOutputs): string =>
    outputsText(outputs, { room }, { tag: place, head: `The ${place} output` });
  return prompt([
    [taskText(task), 'task', 'user'],
    [shown('first', first), 'outputs', 'outside'],
    [shown('second', second), 'outputs', 'outside'],
    [evidenceText(evidence), 'evidence', 'outside'],
    ['Score the first and the second output on every dimension. Their order means nothing.', 'question', 'user'],
  ]);
}
