import { describe, expect, it } from 'vitest';
import { answerText } from './answer.js';

describe('the answer in what a run came to', () => {
  it('is the text that it is, holds alone, or was said last', () => {
    expect(answerText('seven berths')).toBe('seven berths');
    expect(answerText(7)).toBe('7');
    expect(answerText({ answer: 'at 04:15' })).toBe('at 04:15');
    const told = { rawText: '{"answer":"at 04:15"}', termination: 'completed' };
    expect(answerText({ ...told, output: { answer: 'at 04:15' } })).toBe('at 04:15');
    expect(answerText({ ...told, output: { answer: 'at 04:15', sure: true } })).toBe(told.rawText);
    expect(answerText(told)).toBe(told.rawText);
    expect(answerText({ status: 'committed', outputs: { artefacts: [{ name: 'notice', text: 'closed' }] } })).toBe(
      'closed',
    );
  });

  it('is not guessed where there is more than one text', () => {
    expect(answerText({ first: 'a', second: 'b' })).toBeUndefined();
    expect(answerText({ outputs: { artefacts: [{ text: 'a' }, { text: 'b' }] } })).toBeUndefined();
    expect(answerText(['a'])).toBeUndefined();
    expect(answerText({ outputs: { artefacts: [null] } })).toBeUndefined();
    expect(answerText(null)).toBeUndefined();
    expect(answerText(undefined)).toBeUndefined();
  });
});
