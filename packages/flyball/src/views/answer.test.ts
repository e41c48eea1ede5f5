import { describe, expect, it } from 'vitest';
import { answerIn } from './answer.js';

describe('the answer in what a run came to', () => {
  it('is the text that it is, holds alone, or was said last', () => {
    expect(answerIn('seven berths')).toBe('seven berths');
    expect(answerIn(7)).toBe('7');
    expect(answerIn({ answer: 'at 04:15' })).toBe('at 04:15');
    const told = { rawText: '{"answer":"at 04:15"}', termination: 'completed' };
    expect(answerIn({ ...told, output: { answer: 'at 04:15' } })).toBe('at 04:15');
    expect(answerIn({ ...told, output: { answer: 'at 04:15', sure: true } })).toBe(told.rawText);
    expect(answerIn(told)).toBe(told.rawText);
    expect(answerIn({ status: 'committed', outputs: { artefacts: [{ name: 'notice', text: 'closed' }] } })).toBe(
      'closed',
    );
  });

  it('is not guessed where there is more than one text', () => {
    expect(answerIn({ first: 'a', second: 'b' })).toBeUndefined();
    expect(answerIn({ outputs: { artefacts: [{ text: 'a' }, { text: 'b' }] } })).toBeUndefined();
    expect(answerIn(['a'])).toBeUndefined();
    expect(answerIn({ outputs: { artefacts: [null] } })).toBeUndefined();
    expect(answerIn(null)).toBeUndefined();
    expect(answerIn(undefined)).toBeUndefined();
  });
});
