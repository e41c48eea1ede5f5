import { describe, expect, it } from 'vitest';
import { ourAnswer } from './python-answers.js';
import { askPython, type Question } from './python-process.js';
import { bindQuestions, dateQuestions, numberQuestions, textQuestions } from './python-questions.js';

const sets: Readonly<Record<string, readonly Question[]>> = {
  numbers: numberQuestions(1, 6000),
  texts: textQuestions(2, 8000),
  dates: dateQuestions(3, 3000),
  bindings: bindQuestions(4, 1500),
};
const asked = askPython(Object.values(sets).flat());
if (typeof asked === 'string') console.log(`Skipped: ${asked}.`);

describe.skipIf(typeof asked === 'string')('the values of the reference, beside Python itself', () => {
  const answers = typeof asked === 'string' ? [] : asked;
  const expected = new Map(
    Object.values(sets)
      .flat()
      .map((question, at) => [question, answers[at]]),
  );

  it('reads, prints, rounds and calculates numbers as Python does [R5-PY-NUMBERS]', () => {
    expect(differences('numbers', expected)).toEqual([]);
  });

  it('quotes, splits, compares, reads and writes text as Python does, its errors included [R5-PY-TEXT]', () => {
    expect(differences('texts', expected)).toEqual([]);
  });

  it('reads and writes dates as Python does, its errors included [R5-PY-TEXT]', () => {
    expect(differences('dates', expected)).toEqual([]);
  });

  it('binds arguments as Python does, its errors included [R5-PY-TEXT]', () => {
    expect(differences('bindings', expected)).toEqual([]);
  });
});

function differences(name: string, expected: ReadonlyMap<Question, string | undefined>): readonly unknown[] {
  return (sets[name] ?? [])
    .map((question) => ({ question, ours: ourAnswer(question), python: expected.get(question) }))
    .filter(({ ours, python }) => ours !== python)
    .slice(0, 12);
}
