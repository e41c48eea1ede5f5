import fc from 'fast-check';
import { append, type NewSegment, type Prompt } from '../../packages/flyball/src/core/prompt.js';
import { TEXT_RESULTS } from '../../packages/flyball/src/loops/tool-loop/text-calls.js';

/** One turn of a made-up conversation. */
interface Turn {
  readonly text: string;
  readonly results: readonly string[];
  /** In text form: the results are one message of the loop. */
  readonly isText: boolean;
  /** What the user says after it, where there is something. */
  readonly user: string | undefined;
  readonly question: boolean;
}

const content = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.nat({ max: 40 }).map((times) => 'some words that were read '.repeat(times)),
  fc.constant('[cleared: not by us]'),
  fc.constant('[Summary of nothing'),
);

const turn: fc.Arbitrary<Turn> = fc.record({
  text: content,
  results: fc.array(content, { maxLength: 3 }),
  isText: fc.boolean(),
  user: fc.option(content, { nil: undefined, freq: 5 }),
  question: fc.boolean(),
});

/** Conversations with calls, results, questions, protected parts and later turns of the user. */
export const conversations: fc.Arbitrary<Prompt> = fc
  .record({
    turns: fc.array(turn, { maxLength: 14 }),
    memory: fc.boolean(),
    protectedAt: fc.array(fc.nat({ max: 40 }), { maxLength: 3 }),
  })
  .map(({ turns, memory, protectedAt }) => {
    const segments: NewSegment[] = [
      { role: 'system', content: 'You work.', protect: true },
      ...(memory ? [{ role: 'user', content: 'Remember this.', owner: 'memory', band: 'stable' } as const] : []),
      { role: 'user', content: 'The task.' },
      ...turns.flatMap(segmentsOf),
    ];
    let tip: Prompt | undefined;
    for (const [index, segment] of segments.entries())
      tip = append(tip, protectedAt.includes(index) ? { ...segment, protect: true } : segment);
    return tip as Prompt;
  });

function segmentsOf({ text, results, isText, user, question }: Turn, n: number): readonly NewSegment[] {
  const calls = results.map((_, index) => ({ id: `c${n}_${index}`, name: 'read', arguments: '{}' }));
  const native = calls.length > 0 && !isText;
  return [
    { role: 'assistant', content: text, owner: 'worker', ...(native ? { toolCalls: calls } : {}) },
    ...(native
      ? results.map(
          (result, index): NewSegment => ({
            role: 'tool',
            content: result,
            toolCallId: `c${n}_${index}`,
            name: 'read',
            owner: 'read',
          }),
        )
      : []),
    ...(calls.length > 0 && isText
      ? [
          {
            role: 'user',
            content: results.join('\n'),
            owner: 'loop',
            trust: 'outside',
            name: TEXT_RESULTS,
          } as const,
        ]
      : []),
    ...(question ? [{ role: 'user', content: 'Are you done?', owner: 'loop', trust: 'system' } as const] : []),
    ...(user === undefined ? [] : [{ role: 'user', content: user } as const]),
  ];
}
