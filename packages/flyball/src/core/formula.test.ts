import { describe, expect, it } from 'vitest';
import { exact, type Formula, formulaText, predicted } from './formula.js';

/** A vote: as many samples as are drawn, and one call that groups them where they differ. */
const vote: Formula = {
  sum: [
    { times: [{ fact: 'drawn', least: 1, most: { param: 'samples' } }, { part: 'agent' }] },
    { fact: 'grouped', least: 0, most: 1 },
  ],
};

describe('the formula of a pattern', () => {
  it('gives an interval before the run [R11-FORMULA-PREDICTED]', () => {
    const of = { params: { samples: 5 }, parts: { agent: { min: 1, max: 3 } } };
    expect(predicted(vote, of)).toEqual({ min: 1, max: 16 });
  });

  it('has no end where a part says nothing of itself, unless that part is used no times [R11-FORMULA-PREDICTED]', () => {
    expect(predicted(vote, { params: { samples: 5 }, parts: {} })).toEqual({ min: 0, max: Number.POSITIVE_INFINITY });
    expect(predicted(vote, { params: { samples: 0 }, parts: {} })).toEqual({ min: 0, max: 1 });
  });

  it('gives the exact number of its own calls after it, without those of its parts [R11-FORMULA-EXACT]', () => {
    const facts = { drawn: 3, grouped: 1 };
    expect(exact(vote, { params: { samples: 5 }, facts, parts: { agent: 1 } })).toBe(4);
    expect(exact(vote, { params: { samples: 5 }, facts, parts: { agent: 0 } })).toBe(1);
  });

  it('is not a number while a fact is missing [R11-FORMULA-EXACT]', () => {
    expect(exact(vote, { params: { samples: 5 }, facts: { drawn: 3 }, parts: { agent: 1 } })).toBeNaN();
  });

  it('reads as a person writes it [R11-FORMULA-TEXT]', () => {
    expect(formulaText(vote)).toBe('drawn × agent + grouped');
    expect(formulaText({ times: [{ param: 'rounds' }, { sum: [{ part: 'agent' }, { part: 'test' }] }] })).toBe(
      'rounds × (agent + test)',
    );
  });
});
