import { embedderContract } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { energeticEmbedder } from './energetic-embedder.js';

const how = { signal: new AbortController().signal, as: 'document' } as const;
const embedder = energeticEmbedder();

embedderContract({ describe, it }, 'energetic, with its real weights [R5-RET-EMBED-ENERGETIC]', () => embedder);

describe('@energetic-ai/embeddings', () => {
  it('puts texts that mean the same closer than texts that share words [R5-RET-EMBED-ENERGETIC]', async () => {
    const [kitten, car, query] = await embedder.embed(
      ['A kitten naps on the couch.', 'The car is on the road.', 'The cat is sleeping on the sofa.'],
      how,
    );
    const near = (other: Float32Array | undefined): number =>
      [...(other ?? [])].reduce((sum, value, nth) => sum + value * (query?.[nth] ?? 0), 0);
    expect(near(kitten)).toBeGreaterThan(near(car) + 0.1);
  });

  it('gives zeros for a text without a word, without disturbing its neighbors', async () => {
    const [none, some] = await embedder.embed(['…', 'hello world'], how);
    const [alone] = await embedder.embed(['hello world'], how);
    expect(none?.every((value) => value === 0)).toBe(true);
    for (const [nth, value] of (alone ?? []).entries()) expect(some?.[nth]).toBeCloseTo(value, 4);
  });

  it('names the model and its dimensions, and refuses a batch of nothing', () => {
    expect(embedder).toMatchObject({ id: 'energetic/universal-sentence-encoder-lite-en', dimensions: 512 });
    expect(() => energeticEmbedder({ batch: 0 })).toThrow(/at least 1/);
  });
});
