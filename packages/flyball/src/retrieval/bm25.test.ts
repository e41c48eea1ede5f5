import { describe, expect, it } from 'vitest';
import { Bm25Index } from './bm25.js';
import { hasNoWords, whitespaceWords } from './whitespace-words.js';

const DOCUMENTS = ['red fox', 'red red dog', 'blue bird sings'].map((text, nth) => ({ id: `d${nth}`, text }));

describe('BM25', () => {
  it('weighs words by rarity, repeats and length, as worked out by hand [R5-RET-BM25]', () => {
    // 3 documents, "fox" in one: ln(2.5) - ln(1.5); lengths 2, 3, 3, average 8/3
    const rarity = Math.log(2.5) - Math.log(1.5);
    const expected = (rarity * (1 * 2.5)) / (1 + 1.5 * (0.25 + (0.75 * 2) / (8 / 3)));
    const [first] = new Bm25Index(DOCUMENTS).search('Fox', 1);
    expect(first?.id).toBe('d0');
    expect(first?.score).toBeCloseTo(expected, 12);
  });

  it('gives a word of most documents a share of the mean rarity instead of a negative one [R5-RET-BM25]', () => {
    const index = new Bm25Index(DOCUMENTS);
    // red: ln(1.5) - ln(2.5) is negative; the mean is over red once and five rare words
    const rare = Math.log(2.5) - Math.log(1.5);
    const mean = (5 * rare - rare) / 6;
    const [first, second, third] = index.search('red', 3);
    expect([first?.id, second?.id, third?.id]).toEqual(['d1', 'd0', 'd2']);
    expect(second?.score).toBeCloseTo((0.25 * mean * 2.5) / (1 + 1.5 * (0.25 + (0.75 * 2) / (8 / 3))), 12);
    expect(third?.score).toBe(0);
  });

  it('scores documents without any of the words 0, as it may score a word that most have [R5-RET-BM25] [F-W9]', () => {
    const few = ['alpha beta', 'gamma delta', 'alpha alpha gamma'].map((text, nth) => ({ id: `d${nth}`, text }));
    expect(new Bm25Index(few).search('alpha', 3)).toEqual([
      { id: 'd0', score: 0 },
      { id: 'd1', score: 0 }, // none of the words, and yet not last: equal scores stay in the order of the documents
      { id: 'd2', score: 0 },
    ]);
  });

  it('counts a word of the query as often as it is there', () => {
    const index = new Bm25Index(DOCUMENTS);
    expect(index.search('fox fox', 1)[0]?.score).toBeCloseTo(2 * (index.search('fox', 1)[0]?.score ?? 0), 12);
  });

  it('lists equal scores in the order of the documents, those without a match too, and nothing for a blank query', () => {
    const index = new Bm25Index(DOCUMENTS);
    expect(index.search('unknown', 10).map(({ id, score }) => [id, score])).toEqual([
      ['d0', 0],
      ['d1', 0],
      ['d2', 0],
    ]);
    expect(index.search(' \n\u00a0', 10)).toEqual([]);
    expect(index.search('fox', 0)).toEqual([]);
    expect(new Bm25Index([]).search('fox', 3)).toEqual([]);
  });

  it('cuts at what Python calls whitespace, and leaves punctuation on the words', () => {
    expect(whitespaceWords('A\u001cB\u0085c\u00a0d\ufeffe, F.')).toEqual(['a', 'b', 'c', 'd\ufeffe,', 'f.']);
    expect(hasNoWords('\u001f\u3000')).toBe(true);
    expect(hasNoWords('\ufeff')).toBe(false);
  });

  it('refuses settings that make no sense', () => {
    expect(() => new Bm25Index([], { b: 2 })).toThrow(/b from 0 to 1/);
  });

  it('refuses two documents under one id, which would be found as one [R5-RET-BM25]', () => {
    const twice = [
      { id: 'a', text: 'one' },
      { id: 'a', text: 'two' },
    ];
    expect(() => new Bm25Index(twice)).toThrow(/Two documents have the id "a"/);
  });
});
