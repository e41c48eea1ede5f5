import { describe, expect, it } from 'vitest';
import type { Embedder } from '../ports/embedder.js';
import { DenseIndex, textKey } from './dense.js';
import { hashEmbedder } from './hash-embedder.js';
import { memoryVectors } from './memory-vectors.js';

const { signal } = new AbortController();
const DOCUMENTS = [
  { id: 'cat', text: 'The cat sleeps on the red sofa.' },
  { id: 'bill', text: 'Invoices are due within thirty days.' },
  { id: 'empty', text: '' },
];

/** Says how often, and with what, it was asked. */
function counting(inner: Embedder = hashEmbedder()): Embedder & { readonly calls: (readonly string[])[] } {
  const calls: (readonly string[])[] = [];
  return {
    ...inner,
    calls,
    embed: (texts, how) => {
      calls.push(texts);
      return inner.embed(texts, how);
    },
  };
}

describe('a dense index', () => {
  it('finds the nearest documents by the angle of their vectors [R5-RET-DENSE]', async () => {
    const embedder = hashEmbedder();
    const index = await DenseIndex.of(DOCUMENTS, { embedder, signal });
    const found = await index.search('when are invoices due', { embedder, limit: 3, signal });
    expect(found[0]).toMatchObject({ id: 'bill' });
    expect(found[0]?.score).toBeGreaterThan(0.3);
    expect(found.find(({ id }) => id === 'empty')?.score).toBe(0);
  });

  it('refuses an embedder other than the one that made it [R5-RET-DENSE]', async () => {
    const index = await DenseIndex.of(DOCUMENTS, { embedder: hashEmbedder(), signal });
    const other = hashEmbedder({ dimensions: 64 });
    await expect(index.search('cat', { embedder: other, limit: 1, signal })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('made by hash/v1-256 with 256 dimensions'),
    });
    const disguised = { ...other, id: 'hash/v1-256' };
    await expect(index.search('cat', { embedder: disguised, limit: 1, signal })).rejects.toThrow(/Index the documents/);
  });

  it('refuses a blank query: it points nowhere', async () => {
    const embedder = hashEmbedder();
    const index = await DenseIndex.of(DOCUMENTS, { embedder, signal });
    await expect(index.search(' \n', { embedder, limit: 1, signal })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  it('embeds in batches, the same text once', async () => {
    const embedder = counting();
    const twice = [...DOCUMENTS, { id: 'again', text: DOCUMENTS[0]?.text ?? '' }];
    const index = await DenseIndex.of(twice, { embedder, batch: 2, signal });
    expect(embedder.calls.map(({ length }) => length)).toEqual([2, 1]);
    expect(index.size).toBe(4);
    const found = await index.search('the cat sleeps', { embedder, limit: 2, signal });
    expect(found.map(({ id }) => id)).toEqual(['cat', 'again']);
  });

  it('takes vectors from the cache, embeds only what changed, and trusts no vector of another length [R5-RET-DENSE]', async () => {
    const cache = memoryVectors();
    const first = await DenseIndex.of(DOCUMENTS, { embedder: hashEmbedder(), cache, signal });
    expect(first.report).toEqual({ embedded: 3, fromCache: 0 });
    const embedder = counting();
    const changed = [{ id: 'cat', text: 'The dog sleeps.' }, ...DOCUMENTS.slice(1)];
    const second = await DenseIndex.of(changed, { embedder, cache, signal });
    expect(second.report).toEqual({ embedded: 1, fromCache: 2 });
    expect(embedder.calls).toEqual([['The dog sleeps.']]);
    await cache.put(embedder.id, new Map([[textKey('The dog sleeps.'), new Float32Array(3)]]));
    const third = await DenseIndex.of(changed, { embedder: hashEmbedder(), cache, signal });
    expect(third.report).toEqual({ embedded: 1, fromCache: 2 });
  });

  it('keeps what was embedded before it was interrupted', async () => {
    const cache = memoryVectors();
    const stop = new AbortController();
    const inner = hashEmbedder();
    const embedder: Embedder = {
      ...inner,
      embed: async (texts, how) => {
        const vectors = await inner.embed(texts, how);
        if (texts.includes(DOCUMENTS[1]?.text ?? '')) stop.abort(new Error('stopped'));
        return vectors;
      },
    };
    const indexing = DenseIndex.of(DOCUMENTS, { embedder, cache, batch: 1, signal: stop.signal });
    await expect(indexing).rejects.toThrow('stopped');
    const resumed = await DenseIndex.of(DOCUMENTS, { embedder: hashEmbedder(), cache, signal });
    expect(resumed.report).toEqual({ embedded: 1, fromCache: 2 });
  });

  it('refuses an embedder that answers with vectors of the wrong length or number', async () => {
    const short = { ...hashEmbedder(), embed: async () => [new Float32Array(3)] };
    await expect(DenseIndex.of(DOCUMENTS, { embedder: short, signal })).rejects.toThrow(/not all of 256 dimensions/);
  });
});
