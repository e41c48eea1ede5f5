import type { Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { type Ground, grounds, inMemory, inRun } from '../../../../test/memory/grounds.js';
import type { Embedder } from '../ports/embedder.js';
import { hashEmbedder } from '../retrieval/hash-embedder.js';
import { capture } from './capture.js';
import { type Memory, memory } from './memory.js';

const FACTS = {
  'billing.terms': 'Invoices are due within thirty days.',
  'billing.dunning': 'Send a reminder when an invoice is unpaid after forty days.',
  'pets.cat': 'The cat sleeps on the red sofa.',
  'pets.dog': 'The dog chases the cat around the garden.',
  'travel.train': 'The train to Lyon leaves at nine.',
  'travel.hotel': 'The hotel in Lyon has a garden.',
  'office.hours': 'The office opens at nine and closes at five.',
} as const;

async function learn(m: Memory, run: Run): Promise<void> {
  for (const [about, content] of Object.entries(FACTS))
    await m.remember(run, 'semantic', { about, content, source: 'handbook', confidence: 1, trust: 'user' });
}

/** An embedder that knows what words mean, as far as this test goes: three topics, one direction each. */
function topics(id = 'test/topics'): Embedder {
  const topicsOf = [
    ['invoice', 'bill', 'due'],
    ['cat', 'dog', 'pet'],
    ['train', 'lyon', 'journey'],
  ];
  return {
    id,
    dimensions: 3,
    semantic: true,
    embed: async (texts) =>
      texts.map((text) => {
        const found = topicsOf.map((words) => (words.some((word) => text.toLowerCase().includes(word)) ? 1 : 0));
        const length = Math.hypot(...found);
        return Float32Array.from(found, (value) => (length === 0 ? 0 : value / length));
      }),
  };
}

describe.each(await grounds())('recall over the %s store', (_name, open) => {
  it('gives the index first: a line each, the best five, best first [R3-MEM-RECALL]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    const found = await inRun(ground, async (run) => {
      await learn(m, run);
      return m.recall(run, { query: 'when is an invoice due?', minScore: 0 });
    });
    expect(found).toMatchObject({ searched: 7, complete: true, otherEmbedder: 0 });
    expect(found.items).toHaveLength(5);
    expect(new Set(found.items.slice(0, 2).map(({ id }) => id))).toEqual(
      new Set(['semantic/billing.terms', 'semantic/billing.dunning']),
    );
    const scores = found.items.map(({ score }) => score ?? 0);
    expect([...scores].sort((a, b) => b - a)).toEqual(scores);
    for (const item of found.items)
      expect(Object.keys(item).sort()).toEqual(['at', 'id', 'kind', 'level', 'score', 'title', 'trust']);
  });

  it('gives more of each item by level, and one item by its id [R3-MEM-RECALL]', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    const long = `Refunds. ${'Ask the customer first, then pay back. '.repeat(20)}`;
    await inRun(ground, async (run) => {
      await m.remember(run, 'procedural', { name: 'refund', content: long, trust: 'system', tags: ['money'] });
      const [line] = (await m.recall(run, { query: 'refunds', topK: 1 })).items;
      expect(line).not.toHaveProperty('summary');
      expect(line?.title.length).toBeLessThanOrEqual(80);
      const [short] = (await m.recall(run, { query: 'refunds', level: 'summary' })).items;
      expect(short).toMatchObject({ level: 'summary', tags: ['money'] });
      expect(short?.summary.length).toBeLessThanOrEqual(280);
      expect(short).not.toHaveProperty('content');
      expect(await m.read(run, line?.id ?? '')).toMatchObject({ level: 'full', content: long, version: 1 });
      expect(await m.read(run, line?.id ?? '', 'index')).not.toHaveProperty('content');
    });
  });

  it('finds by kind, session and tags, and the newest where nothing is asked for', async () => {
    const ground = await open();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      for (const n of [1, 2, 3])
        await m.remember(run, 'episodic', {
          content: `walk ${n}`,
          trust: 'model',
          at: n,
          tags: n === 2 ? ['wet'] : [],
        });
      await m.remember(run, 'session', { session: 'a', content: 'walk of a', trust: 'user' });
      await m.remember(run, 'session', { session: 'a/b', content: 'walk of a/b', trust: 'user' });
      const titles = async (query: Parameters<Memory['recall']>[1]) =>
        (await m.recall(run, query)).items.map(({ title }) => title);
      expect(await titles({ kinds: ['episodic'] })).toEqual(['walk 3', 'walk 2', 'walk 1']);
      expect(await titles({ query: 'walk', tags: ['wet'] })).toEqual(['walk 2']);
      expect(await titles({ query: 'walk', kinds: ['session'], session: 'a' })).toEqual(['walk of a']);
      expect(await titles({ query: 'walk', kinds: ['session'] })).toEqual([]);
      expect((await m.list(run, 'session', { session: 'a/b' })).items.map(({ title }) => title)).toEqual([
        'walk of a/b',
      ]);
    });
  });

  it('never compares vectors of two embedders, and embeds anew on request [R3-MEM-EMBEDDER]', async () => {
    const ground = await open();
    const old = memory({ store: ground.store, embedder: topics('test/old') });
    const now = memory({ store: ground.store, embedder: topics() });
    await inRun(ground, async (run) => {
      await learn(old, run);
      expect((await old.recall(run, { query: 'bills', topK: 2 })).items).toHaveLength(2); // by meaning
      expect(await now.recall(run, { query: 'bills' })).toMatchObject({ items: [], otherEmbedder: 7 });
      expect((await now.recall(run, { query: 'invoice' })).items).toHaveLength(1); // by words alone
      expect(await now.reembed(run)).toEqual({ reembedded: 7, left: 0 });
      expect(await now.reembed(run)).toEqual({ reembedded: 0, left: 0 });
      const after = await now.recall(run, { query: 'bills', topK: 2, level: 'full' });
      expect(after).toMatchObject({ otherEmbedder: 0 });
      expect(after.items.map(({ id, version }) => `${id} ${version}`).sort()).toEqual([
        'semantic/billing.dunning 2',
        'semantic/billing.terms 2',
      ]);
      // another vector is no other fact
      expect((await now.history(run, 'semantic/pets.cat')).map(({ content }) => content)).toEqual([FACTS['pets.cat']]);
    });
  });
});

async function recalled(m: Memory, ground: Ground, query: string): Promise<readonly string[]> {
  return inRun(ground, async (run) =>
    (await m.recall(run, { query })).items.map(({ id }) => id.slice('semantic/'.length)),
  );
}

describe('recall', () => {
  it('goes by the angle alone under a semantic embedder, and by words where there is none [R3-MEM-RECALL]', async () => {
    const ground = inMemory();
    const meaning = memory({ store: ground.store, embedder: topics() });
    await inRun(ground, (run) => learn(meaning, run));
    expect(await recalled(meaning, ground, 'our pets')).toEqual(expect.arrayContaining(['pets.cat', 'pets.dog']));
    const words = memory({ store: ground.store });
    expect(await recalled(words, ground, 'journey')).toEqual([]);
    expect((await recalled(words, ground, 'red sofa'))[0]).toBe('pets.cat');
  });

  it('counts a rare word more than two common ones', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    const items = await inRun(ground, async (run) => {
      for (const n of [1, 2, 3, 4, 5, 6, 7, 8, 9])
        await m.remember(run, 'procedural', { name: `cup-${n}`, content: 'a blue cup', trust: 'user' });
      await m.remember(run, 'procedural', { name: 'gem', content: 'a rare stone', trust: 'user' });
      return (await m.recall(run, { query: 'blue cup stone' })).items;
    });
    expect(items[0]?.id).toBe('procedural/gem');
  });

  it('says when there is more than one search looks at', async () => {
    const ground = inMemory();
    const learner = memory({ store: ground.store });
    await inRun(ground, (run) => learn(learner, run));
    const searched = (maxSearched: number) =>
      inRun(ground, (run) =>
        memory({ store: ground.store, maxSearched }).recall(run, { kinds: ['semantic'], query: 'cat' }),
      );
    expect(await searched(7)).toMatchObject({ searched: 7, complete: true });
    expect(await searched(6)).toMatchObject({ searched: 6, complete: false });
    expect(await searched(2)).toMatchObject({ searched: 2, complete: false, items: [] });
    expect(() => memory({ store: ground.store, maxSearched: 0 })).toThrow(/at least 1/);
    expect(() => memory({ store: ground.store, workingLimit: Number.NaN })).toThrow(/at least 1/);
  });

  it('embeds a large memory anew in parts', async () => {
    const ground = inMemory();
    const taking = capture({ store: ground.store, session: 's', agent: 'a' });
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    const parts = await inRun(ground, async (run) => {
      const seen = Array.from({ length: 501 }, (_, n) => ({ type: 'decision' as const, content: `number ${n}` }));
      await taking.flush(run, seen);
      return [await m.reembed(run), await m.reembed(run), await m.reembed(run, ['semantic'])];
    });
    expect(parts).toEqual([
      { reembedded: 500, left: 1 },
      { reembedded: 1, left: 0 },
      { reembedded: 0, left: 0 },
    ]);
  });

  it('leaves out what does not fit', async () => {
    const ground = inMemory();
    const m = memory({ store: ground.store, embedder: hashEmbedder() });
    await inRun(ground, (run) => learn(m, run));
    expect(await recalled(m, ground, 'quantum chromodynamics')).toEqual([]);
  });

  it.each([
    [{ topK: 0 }, /topK/],
    [{ topK: 51 }, /topK/],
    [{ level: 'everything' as never }, /level/],
  ])('refuses %j', async (query, why) => {
    const ground = inMemory();
    const m = memory({ store: ground.store });
    await inRun(ground, async (run) => {
      await expect(m.recall(run, query)).rejects.toThrow(why);
    });
  });
});
