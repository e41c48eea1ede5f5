import { describe, expect, it } from 'vitest';
import { fuse } from './fusion.js';

const list = (...ids: readonly string[]) => ids.map((id) => ({ id }));

describe('reciprocal-rank fusion', () => {
  it('adds 1 / (60 + place) over the lists, as worked out by hand [R5-RET-FUSION]', () => {
    expect(fuse([list('a', 'b', 'c'), list('b', 'd')])).toEqual([
      { id: 'b', score: 1 / 62 + 1 / 61 },
      { id: 'a', score: 1 / 61 },
      { id: 'd', score: 1 / 62 },
      { id: 'c', score: 1 / 63 },
    ]);
  });

  it('weighs lists, and leaves out one of weight 0 [R5-RET-FUSION]', () => {
    const lists = [list('a'), list('b'), list('c')];
    expect(fuse(lists, { k: 1, weights: [1, 3, 0] })).toEqual([
      { id: 'b', score: 1.5 },
      { id: 'a', score: 0.5 },
    ]);
  });

  it('gives each document once, and a list that repeats itself no second vote', () => {
    expect(fuse([list('a', 'a', 'b')])).toEqual([
      { id: 'a', score: 1 / 61 },
      { id: 'b', score: 1 / 62 },
    ]);
    expect(fuse([])).toEqual([]);
  });

  it('refuses weights that would make nonsense of the sum', () => {
    expect(() => fuse([], { weights: [-1] })).toThrow(/finite weights >= 0/);
    expect(() => fuse([], { k: Number.NaN })).toThrow(/k >= 0/);
  });
});
