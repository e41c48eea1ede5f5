import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { textSimilarity } from './text-similarity.js';

describe('how alike two texts are', () => {
  it('is 1 for the same, and 0 for texts with nothing in common', () => {
    expect(textSimilarity('a b c d', 'a b c d')).toBe(1);
    expect(textSimilarity('a b c d', ' a\tb\n c d ')).toBe(1);
    expect(textSimilarity('', '')).toBe(1);
    expect(textSimilarity('', ' ')).toBe(1);
    expect(textSimilarity('one two three', '')).toBe(0);
    expect(textSimilarity('one two three', 'four five six')).toBe(0);
  });

  it('tells a small change of a long text from another text, and a changed value of a short one', () => {
    const long = Array.from({ length: 300 }, (_none, n) => `word${n}`);
    expect(textSimilarity(long.join(' '), long.with(150, 'other').join(' '))).toBeGreaterThan(0.95);
    expect(textSimilarity(long.join(' '), [...long].reverse().join(' '))).toBe(0);
    expect(textSimilarity('expected 3, got 4', 'expected 3, got 5')).toBeLessThan(0.95);
    expect(textSimilarity('a + b', 'a - b')).toBe(0);
  });

  it('counts repetitions', () => {
    expect(textSimilarity('a b c '.repeat(2), 'a b c '.repeat(20))).toBeLessThan(0.2);
  });

  it('is symmetric, between 0 and 1, and 1 with itself', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        const alike = textSimilarity(a, b);
        expect(alike).toBe(textSimilarity(b, a));
        expect(alike).toBeGreaterThanOrEqual(0);
        expect(alike).toBeLessThanOrEqual(1);
        expect(textSimilarity(a, a)).toBe(1);
      }),
    );
  });

  it('takes time in proportion to the length', () => {
    const text = Array.from({ length: 200_000 }, (_none, n) => `w${n % 5000}`).join(' ');
    expect(textSimilarity(text, `${text} end`)).toBeGreaterThan(0.99); // quadratic time would not come back
  });
});
