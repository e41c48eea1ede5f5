import { embedderContract } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import type { Embedder } from '../ports/embedder.js';
import { hashEmbedder } from '../retrieval/hash-embedder.js';
import { cosine, embedAll, packed, unpacked } from '../retrieval/vectors.js';

embedderContract({ describe, it }, 'hash [R3-MEM-EMBEDDER]', () => hashEmbedder());
embedderContract({ describe, it }, 'hash in 64 dimensions', () => hashEmbedder({ dimensions: 64 }));

const how = { signal: new AbortController().signal, as: 'document' } as const;

async function vectorsOf(...texts: readonly string[]): Promise<readonly Float32Array[]> {
  return hashEmbedder().embed(texts, how);
}

async function likeness(a: string, b: string): Promise<number> {
  const [left, right] = await vectorsOf(a, b);
  return cosine(left ?? new Float32Array(), right ?? new Float32Array());
}

describe('the hash embedder', () => {
  it('says in its id that it hashes, and into how many dimensions [R3-MEM-EMBEDDER]', () => {
    expect(hashEmbedder()).toMatchObject({ id: 'hash/v1-256', dimensions: 256, semantic: false });
    expect(hashEmbedder({ dimensions: 64 }).id).not.toBe(hashEmbedder().id);
  });

  it('gives the same vector on every machine and in every version', async () => {
    const [vector] = await vectorsOf('The quick brown fox');
    const strongest = [...(vector ?? [])].map((value, index) => [index, Math.round(value * 1000)] as const);
    strongest.sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
    expect(strongest.slice(0, 4).map(([index, value]) => `${index}:${value}`)).toEqual([
      '169:-390',
      '217:390',
      '245:390',
      '247:-390',
    ]);
  });

  it('sees spelling and no meaning [R3-MEM-EMBEDDER]', async () => {
    expect(await likeness('unpaid invoices', 'an unpaid invoice')).toBeGreaterThan(0.4);
    expect(await likeness('unpaid invoices', 'bills nobody settled')).toBeLessThan(0.2);
  });

  it('does not mind case, width of letters or punctuation', async () => {
    expect(await likeness('Invoice, due!', 'ｉｎｖｏｉｃｅ due')).toBeCloseTo(1, 5);
  });

  it.each([0, 7, 4097, 1.5, Number.NaN])('refuses %s dimensions', (dimensions) => {
    expect(() => hashEmbedder({ dimensions })).toThrow(/8 to 4096/);
  });
});

describe('a stored vector', () => {
  it('comes back as it was, to the embedder that made it and to no other [R3-MEM-EMBEDDER]', async () => {
    const embedder = hashEmbedder();
    const [vector] = await vectorsOf('tea');
    const stored = packed(embedder, vector ?? new Float32Array());
    expect(unpacked(embedder, stored)).toEqual(vector);
    expect(unpacked({ ...embedder, id: 'hash/v2-256' }, stored)).toBeUndefined();
    expect(unpacked(hashEmbedder({ dimensions: 64 }), stored)).toBeUndefined();
    expect(unpacked(embedder, undefined)).toBeUndefined();
    expect(unpacked(embedder, { ...stored, data: stored.data.slice(8) })).toBeUndefined(); // cut short
  });

  it('is refused from an embedder that does not keep its contract', async () => {
    const short: Embedder = {
      ...hashEmbedder(),
      embed: async (texts) => texts.slice(1).map(() => new Float32Array(256)),
    };
    const narrow: Embedder = { ...hashEmbedder(), embed: async (texts) => texts.map(() => new Float32Array(3)) };
    await expect(embedAll(short, ['a', 'b'], how)).rejects.toMatchObject({ code: 'EFFECT_FAILED' });
    await expect(embedAll(narrow, ['a', 'b'], how)).rejects.toThrow(/embedderContract/);
  });
});
