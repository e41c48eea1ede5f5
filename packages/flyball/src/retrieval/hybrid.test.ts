import { describe, expect, it } from 'vitest';
import type { Embedder } from '../ports/embedder.js';
import { hashEmbedder } from './hash-embedder.js';
import { HybridIndex } from './hybrid.js';
import { stemmed } from './terms.js';

const { signal } = new AbortController();
const DOCUMENTS = [
  { id: 'bill', title: 'Invoices', text: 'An invoice is due within thirty days.\n\n# Late\n\nA reminder follows.' },
  { id: 'car', title: 'Vehicles', text: 'An automobile needs fuel and insurance.' },
  { id: 'cat', title: 'Pets', text: 'The cat sleeps on the red sofa all day long.' },
];

/** Knows what a few words mean: enough to see which side decides. */
function meaning(): Embedder {
  const about: readonly (readonly [RegExp, number])[] = [
    [/invoice|bill|pay|reminder/i, 0],
    [/cat|pet|kitten/i, 1],
    [/automobile|car|drive|fuel/i, 2],
  ];
  return {
    id: 'test/meaning',
    dimensions: 4,
    semantic: true,
    embed: async (texts) =>
      texts.map((text) => {
        const vector = new Float32Array(4);
        for (const [words, nth] of about) if (words.test(text)) vector[nth] = 1;
        vector[3] = 0.2;
        const length = Math.hypot(...vector);
        return vector.map((value) => value / length);
      }),
  };
}

async function found(query: string, embedder: Embedder = meaning()): Promise<readonly string[]> {
  const index = await HybridIndex.of(DOCUMENTS, { embedder, signal });
  return (await index.search(query, { limit: 3, signal })).map(({ id }) => id);
}

describe('a hybrid index', () => {
  it('finds by meaning what shares no word with the query', async () => {
    expect((await found('May I drive it?'))[0]).toBe('car');
    expect((await found('kitten'))[0]).toBe('cat');
  });

  it('trusts words that match over a vector that points elsewhere', async () => {
    const misled: Embedder = {
      ...meaning(),
      embed: (texts, how) => meaning().embed(how.as === 'query' ? texts.map(() => 'car') : texts, how),
    };
    expect((await found('the cat sleeps on the red sofa', misled))[0]).toBe('cat');
  });

  it('finds a document by its title and by the heading above a passage', async () => {
    expect((await found('vehicles', hashEmbedder()))[0]).toBe('car');
    expect((await found('late reminders', hashEmbedder()))[0]).toBe('bill');
  });

  it('indexes a passage with the headings above it, though they stand in another', async () => {
    const section = [
      'Parts are replaced at no cost in the first year.',
      'Labour is charged by the hour after that time.',
    ];
    const text = `# Warranty\n\n${section.map((line) => `${line} ${line}`).join('\n\n')}`;
    const index = await HybridIndex.of([...DOCUMENTS, { id: 'shop', title: 'Shop', text }], {
      embedder: hashEmbedder(),
      passage: 110,
      signal,
    });
    const hits = await index.passages('warranty', { limit: 2, signal, by: 'words' });
    expect(hits.map(({ id }) => id)).toEqual(['shop', 'shop']);
  });

  it('prefers what one sentence clearly means over what all of them vaguely resemble', async () => {
    const axes = ['north', 'east', 'south', 'west'];
    const documents = [
      { id: 'all', title: '', text: axes.join(' ') },
      ...axes.map((axis) => ({ id: axis, title: '', text: axis })),
      ...Array.from({ length: 5 }, (_none, nth) => ({ id: `other-${nth}`, title: '', text: `other ${nth}` })),
    ];
    const embedder: Embedder = {
      id: 'test/axes',
      dimensions: 5,
      semantic: true,
      embed: async (texts) =>
        texts.map((text) => {
          const vector = Float32Array.from([...axes, 'other'], (axis) => (text.toLowerCase().includes(axis) ? 1 : 0));
          const length = Math.hypot(...vector) || 1;
          return vector.map((value) => value / length);
        }),
    };
    const index = await HybridIndex.of(documents, { embedder, signal });
    const [first] = await index.search('Go north. Go east. Go south. Go west.', { limit: 1, signal, by: 'meaning' });
    expect(axes).toContain(first?.id);
  });

  it('reads a long request sentence by sentence', async () => {
    const index = await HybridIndex.of(DOCUMENTS, { embedder: meaning(), signal });
    const request = 'I would like to drive somewhere nice. My kitten comes along. Nothing else matters to us today.';
    const ids = (await index.search(request, { limit: 2, signal, by: 'meaning' })).map(({ id }) => id);
    expect([...ids].sort()).toEqual(['car', 'cat']);
  });

  it('gives passages with their places, documents once, and nothing for a blank query', async () => {
    const index = await HybridIndex.of(DOCUMENTS, { embedder: hashEmbedder(), passage: 100, signal });
    const [best] = await index.passages('reminder follows', { limit: 1, signal });
    expect(DOCUMENTS[0]?.text.slice(best?.passage.from, best?.passage.to)).toBe(best?.passage.text);
    expect(await index.search('invoice', { limit: 10, signal })).toHaveLength(3);
    expect(await index.search(' ', { limit: 10, signal })).toEqual([]);
    await expect(index.search('x', { limit: 1, signal: AbortSignal.abort(new Error('gone')) })).rejects.toThrow('gone');
  });

  it('brings the forms of a word together', () => {
    expect(['fees', 'closing', 'closed', 'categories', 'boxes', 'status', 'rfc9110s'].map(stemmed)).toEqual([
      'fees',
      'clos',
      'clos',
      'category',
      'box',
      'status',
      'rfc9110s',
    ]);
  });
});
