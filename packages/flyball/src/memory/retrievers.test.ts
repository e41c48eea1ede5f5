import type { Run } from 'flyball';
import { retrieverContract } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { grounds, inMemory, inRun } from '../../../../test/memory/grounds.js';
import { evidenceId } from '../core/evidence-id.js';
import type { Embedder } from '../ports/embedder.js';
import type { Retriever } from '../ports/retriever.js';
import { chunksOf } from '../retrieval/chunks.js';
import { documentsRetriever } from '../retrieval/documents-retriever.js';
import { hashEmbedder } from '../retrieval/hash-embedder.js';
import { memory } from './memory.js';
import { memoryRetriever } from './retrievers-memory.js';

const DOCUMENTS = [
  {
    source: 'billing.md',
    text: '# Terms\nInvoices are due within thirty days.\n\n# Dunning\nRemind when an invoice is unpaid.',
  },
  { source: 'law.md', text: 'An invoice must carry a date.', authority: true, trust: 'system' },
  { source: 'pets.md', text: 'The cat sleeps on the red sofa.' },
] as const;

const ASKED = { finds: 'invoice', findsAlso: 'a date on the invoice', findsNothing: 'volcano eruption' };
const how = { limit: 5, signal: new AbortController().signal };

retrieverContract({ describe, it }, 'documents [R4-RETRIEVE-PORT]', () => ({
  ...ASKED,
  retriever: documentsRetriever({ name: 'handbook', documents: DOCUMENTS, chunkLines: 3 }),
}));

retrieverContract({ describe, it }, 'documents with vectors', () => ({
  ...ASKED,
  retriever: documentsRetriever({ name: 'handbook', documents: DOCUMENTS, embedder: hashEmbedder(), chunkLines: 3 }),
}));

for (const [name, open] of await grounds())
  retrieverContract({ describe, it }, `memory over the ${name} store [R4-RETRIEVE-PORT]`, async () => {
    const ground = await open();
    const options = { store: ground.store, embedder: hashEmbedder() };
    const whose = await inRun(ground, async (run) => {
      await learn(options, run);
      return { id: run.id, tenant: run.tenant, subject: run.subject };
    });
    return { ...ASKED, retriever: memoryRetriever(options, whose) };
  });

async function learn(options: Parameters<typeof memory>[0], run: Run): Promise<void> {
  const m = memory(options);
  for (const [about, content] of [
    ['billing.terms', 'An invoice is due within thirty days.'],
    ['billing.date', 'The invoice carries a date.'],
    ['pets.cat', 'The cat sleeps on the red sofa.'],
  ] as const)
    await m.remember(run, 'semantic', { about, content, source: 'handbook', confidence: 1, trust: 'user' });
}

async function sourcesOf(retriever: Retriever, query: string): Promise<readonly string[]> {
  return (await retriever.retrieve(query, how)).map(({ source }) => source);
}

describe('documents', () => {
  const retriever = documentsRetriever({ name: 'handbook', documents: DOCUMENTS, chunkLines: 3 });

  it('give pieces with their lines, their authority and their trust [R4-RETRIEVE-PORT]', async () => {
    const [best] = await retriever.retrieve('date of an invoice', how);
    expect(best).toMatchObject({ source: 'law.md', place: 'line 1', authority: true, trust: 'system' });
    const [terms] = await retriever.retrieve('thirty days', how);
    expect(terms).toMatchObject({ source: 'billing.md', place: 'lines 1-2', authority: false, trust: 'outside' });
    expect(terms?.text).toBe('# Terms\nInvoices are due within thirty days.');
    expect(terms?.id).toBe(evidenceId('billing.md', 'lines 1-2', terms?.text ?? ''));
  });

  it('are not found by the words that every text has', async () => {
    expect(await sourcesOf(retriever, 'what is the capital of France?')).toEqual([]);
    expect(await sourcesOf(retriever, 'invoice numbering of French railways in winter')).toEqual([]); // one word of five
    expect(await sourcesOf(retriever, 'on the')).toContain('pets.md'); // where nothing else is asked for, they count
    expect(await sourcesOf(retriever, '')).toEqual([]);
    expect(await sourcesOf(documentsRetriever({ name: 'none', documents: [] }), 'invoice')).toEqual([]);
  });

  it('with rare words come before those with common ones, and a short piece before a long one', async () => {
    const documents = [
      ...Array.from({ length: 8 }, (_none, n) => ({ source: `common-${n}`, text: `apple number ${n} apple apple` })),
      { source: 'rare', text: 'apple with quince' },
      { source: 'long', text: `quince ${'filler words go on and on '.repeat(30)}` },
    ];
    const fruit = documentsRetriever({ name: 'fruit', documents });
    expect((await sourcesOf(fruit, 'apple quince')).slice(0, 2)).toEqual(['rare', 'long']);
    expect((await sourcesOf(fruit, 'quince'))[0]).toBe('rare');
  });

  it('are found by what they mean where an embedder knows it, which makes their vectors once', async () => {
    let embedded = 0;
    const meaning: Embedder = {
      id: 'test/meaning',
      dimensions: 2,
      semantic: true,
      embed: async (texts) => {
        embedded += texts.length;
        return texts.map((text) => Float32Array.from(/cat|pet|animal/i.test(text) ? [1, 0] : [0, 1]));
      },
    };
    const two = documentsRetriever({ name: 'two', documents: DOCUMENTS, embedder: meaning, chunkLines: 3 });
    expect(await sourcesOf(two, 'animals')).toEqual(['pets.md']);
    expect(await sourcesOf(two, 'pet animals')).toEqual(['pets.md']);
    expect(embedded).toBe(4 + 2);
    expect(await sourcesOf(documentsRetriever({ name: 'words', documents: DOCUMENTS }), 'animals')).toEqual([]);
  });

  it('are refused without room for a line', () => {
    expect(() => documentsRetriever({ name: 'x', documents: [], chunkLines: 0 })).toThrow(/chunkLines/);
  });
});

describe('pieces of a document', () => {
  it('are cut at headings and empty lines, and together are the text', () => {
    const text = 'a\nb\n\nc\nd\n# E\nf\ng\nh';
    expect(chunksOf(text, 5)).toEqual([
      { place: 'lines 1-5', text: 'a\nb\n\nc\nd' },
      { place: 'lines 6-9', text: '# E\nf\ng\nh' },
    ]);
    expect(chunksOf(text, 4).map(({ place }) => place)).toEqual(['lines 1-4', 'lines 5-8', 'line 9']);
    expect(chunksOf('\n\n', 5)).toEqual([]);
    expect(chunksOf('a\r\nb', 5)).toEqual([{ place: 'lines 1-2', text: 'a\nb' }]);
  });

  it('are bounded, however long a line is, and lose nothing', () => {
    const line = '漢😀'.repeat(6000);
    const pieces = chunksOf(`short\n${line}\nend`, 30);
    expect(pieces.map(({ text }) => text).join('')).toBe(`short${line}end`);
    expect(pieces.every(({ text }) => Array.from(text).length <= 4000)).toBe(true);
    expect(new Set(pieces.map(({ place }) => place)).size).toBe(pieces.length);
  });
});

describe('the memory of a run', () => {
  it('gives items with their version, their source and the trust they were remembered with [R4-RETRIEVE-PORT]', async () => {
    const ground = inMemory();
    const options = { store: ground.store };
    const whose = await inRun(ground, async (run) => {
      await learn(options, run);
      const m = memory(options);
      const moved = { about: 'pets.cat', content: 'The cat sleeps in the garden.', source: 'a visit', confidence: 1 };
      await m.remember(run, 'semantic', { ...moved, trust: 'model' });
      await m.remember(run, 'working', { content: 'The cat is on my mind.', trust: 'model' });
      return { id: run.id, tenant: run.tenant, subject: run.subject };
    });
    const mine = memoryRetriever(options, whose, { authority: ({ trust }) => trust === 'user' });
    const others = memoryRetriever(options, { ...whose, subject: 'somebody else' });
    expect(await mine.retrieve('where does the cat sleep', how)).toMatchObject([
      { source: 'memory:semantic/pets.cat', place: 'version 2, from a visit', trust: 'model', authority: false },
    ]);
    expect(await mine.retrieve('invoice due', { ...how, limit: 1 })).toMatchObject([
      { trust: 'user', authority: true },
    ]);
    expect(await others.retrieve('where does the cat sleep', how)).toEqual([]);
    expect(await mine.retrieve('  ', how)).toEqual([]);
  });
});
