import type { Prompt } from 'flyball';
import type { Rubric } from 'flyball/checks';
import { exactly, labelled, prompt, type ReplyForm, replyForm, TEXT, UNIT } from 'flyball/internal';
import { spanText, type TrajectorySpan } from './trajectory.js';
import type { PartReply } from './trajectory-verdict.js';

const MOST_VIOLATIONS = 20;

/** Violations come first and reasoning before every score: a score is written by a model that has looked. */
export function trajectoryForm(rubric: Rubric, spans: readonly TrajectorySpan[]): ReplyForm<PartReply> {
  const names = rubric.dimensions.map(({ name }) => name);
  const violation = exactly({
    span: { enum: spans.map(({ id }) => id) },
    dimension: { enum: names },
    quote: { type: 'string', minLength: 1, maxLength: 500 },
    reasoning: TEXT,
  });
  const scored = exactly({ reasoning: TEXT, score: UNIT });
  const schema = exactly({
    violations: { type: 'array', maxItems: MOST_VIOLATIONS, items: violation },
    dimensions: exactly(Object.fromEntries(names.map((name) => [name, scored]))),
  });
  const texts = new Map(spans.map(({ id, by, text }) => [id, { by, text }]));
  return replyForm<PartReply>(schema, ({ violations }) =>
    violations.flatMap(({ span, quote }) => {
      const { by, text } = texts.get(span) ?? {};
      if (text === undefined || !spaced(text).includes(spaced(quote)))
        return [`${span} does not hold the quote "${quote.slice(0, 80)}"`];
      return by === 'agent' ? [] : [`${span} is not the agent's: only what the agent did can be a violation`];
    }),
  );
}

const QUESTION =
  'List every violation of the rubric by the agent, wherever in the conversation it stands, with the id of its span and its words. Then score every dimension over all of it.';

/** Goal and expectation are ours; the conversation is evidence and stays marked as such. */
export function windowPrompt(
  { goal, expected }: { readonly goal: string; readonly expected: string },
  spans: readonly TrajectorySpan[],
  { index, of }: { readonly index: number; readonly of: number },
): Prompt {
  const lines = spans.map(spanText).join('\n');
  const part = of === 1 ? '' : ` This is part ${index + 1} of ${of}; the other parts are judged by themselves.`;
  return prompt([
    [`The user's goal: ${goal}\nThe expected outcome: ${expected}`, 'task', 'user'],
    [
      `The conversation, one span after the other.${part}\n${labelled('conversation', {}, lines)}`,
      'trajectory',
      'outside',
    ],
    [QUESTION, 'question', 'user'],
  ]);
}

/** Lines are indented where they are shown, so spaces do not tell two texts apart. */
function spaced(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
