import { describe, expect, it } from 'vitest';
import { rerank } from './rerank.js';

const found = ['a', 'b', 'c', 'd'].map((id) => ({ id, score: 1 }));
const ratings: Readonly<Record<string, number>> = { a: 5, b: 9, c: 4.9, d: 9 };

describe('a reranker', () => {
  it('keeps what is rated 5 or better, best first, of equal ones the earlier first [R5-RET-RERANK]', async () => {
    const kept = await rerank(found, { rate: async ({ id }) => ratings[id] ?? 0 });
    expect(kept).toEqual([
      { id: 'b', score: 9 },
      { id: 'd', score: 9 },
      { id: 'a', score: 5 },
    ]);
  });

  it('returns a subset of what it was given, each once, in its own objects [R5-RET-RERANK]', async () => {
    const given = [{ id: 'a', score: 1, text: 'x' }, ...found];
    const kept = await rerank(given, { rate: () => 10, least: 0 });
    expect(kept.map(({ id }) => id)).toEqual(['a', 'b', 'c', 'd']);
    expect(await rerank([], { rate: () => 10 })).toEqual([]);
  });

  it('rates no more at one time than it may', async () => {
    let [now, most] = [0, 0];
    const rate = async (): Promise<number> => {
      most = Math.max(most, ++now);
      await Promise.resolve();
      now--;
      return 7;
    };
    await rerank(found, { rate, width: 2 });
    expect(most).toBe(2);
  });

  it('refuses a rating outside of 0 to 10 rather than hide a document', async () => {
    await expect(rerank(found, { rate: () => 11 })).rejects.toMatchObject({ code: 'REPLY_INVALID' });
    await expect(rerank(found, { rate: () => Number.NaN })).rejects.toThrow(/ratings go from 0 to 10/);
  });
});
