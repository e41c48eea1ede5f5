import { done, type Outcome, type Run } from 'flyball';
import { memory, memoryRetriever } from 'flyball/memory';
import { documentsRetriever } from 'flyball/retrieval';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving } from '../../../../../test/runtime/stage.js';
import { memoryStore } from '../../adapters/engine-memory/memory-store.js';
import type { Evidence, EvidenceBundle } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';
import { gatherEvidence, mergeEvidence } from './retrieve.js';

const DOCUMENTS = [
  { source: 'terms.md', text: 'Invoices are due within thirty days.', authority: true },
  { source: 'dunning.md', text: 'Remind of invoices that are unpaid after forty days.' },
  { source: 'pets.md', text: 'The cat sleeps on the red sofa.' },
];

function piece(given: Partial<Evidence> & { readonly id: string }): Evidence {
  return {
    text: 'text',
    source: 's',
    place: 'p',
    query: 'q',
    score: 0.5,
    authority: false,
    trust: 'outside',
    ...given,
  };
}

/** Answers each query with the pieces listed under it. */
function listed(pieces: Readonly<Record<string, readonly Evidence[]>>): Retriever & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    name: 'listed',
    asked,
    retrieve: async (query) => {
      asked.push(query);
      return (pieces[query] ?? []).map((each) => ({ ...each, query }));
    },
  };
}

async function gathered(
  retriever: Retriever,
  queries: readonly string[],
  options: Parameters<typeof gatherEvidence>[3] = { limit: 5 },
): Promise<Outcome<EvidenceBundle>> {
  const agent = async (run: Run) => done(await gatherEvidence(run, retriever, queries, options));
  return (await moving().open(agent).start()) as Outcome<EvidenceBundle>;
}

describe('gathering evidence', () => {
  it('asks every query through the port and keeps the provenance of each piece [R4-RETRIEVE-PORT]', async () => {
    const retriever = documentsRetriever({ name: 'handbook', documents: DOCUMENTS });
    const outcome = await gathered(retriever, ['invoices due', 'where is the cat', 'volcano']);
    expect(outcome).toMatchObject({ stop: 'done', value: { gaps: ['volcano'] } });
    const { items } = (outcome as { value: EvidenceBundle }).value;
    expect(items.map(({ source, place, query, authority, trust }) => [source, place, query, authority, trust])).toEqual(
      [
        ['terms.md', 'line 1', 'invoices due', true, 'outside'],
        ['pets.md', 'line 1', 'where is the cat', false, 'outside'],
        ['dunning.md', 'line 1', 'invoices due', false, 'outside'],
      ],
    );
  });

  it('is a step of the run: after a crash what was found is not looked for again [R4-RETRIEVE-PORT]', async () => {
    const stage = moving();
    const retriever = listed({ a: [piece({ id: '1' })], b: [piece({ id: '2' })] });
    const agent = async (run: Run) => done(await gatherEvidence(run, retriever, ['a', 'b'], { limit: 2 }));
    await stage.crashed(agent, at('after', 'complete'));
    expect(await stage.open(agent).resume()).toMatchObject({ value: { items: [{ id: '1' }, { id: '2' }], gaps: [] } });
    expect(retriever.asked.filter((query) => query === 'a')).toHaveLength(1);
  });

  it('works on the memory of the run that asks', async () => {
    const options = { store: memoryStore() };
    const agent = async (run: Run) => {
      await memory(options).remember(run, 'procedural', {
        name: 'refund',
        content: 'Refund within a week.',
        trust: 'user',
      });
      return done(await gatherEvidence(run, memoryRetriever(options, run), ['refund', 'volcano'], { limit: 3 }));
    };
    expect(await moving().open(agent).start()).toMatchObject({
      value: { items: [{ source: 'memory:procedural/refund', trust: 'user' }], gaps: ['volcano'] },
    });
  });

  it('keeps a piece once, where it fits best, and asks a query once', async () => {
    const retriever = listed({
      a: [piece({ id: '1', score: 0.3 }), piece({ id: '2', score: 0.2 })],
      b: [piece({ id: '1', score: 0.9 })],
    });
    const outcome = await gathered(retriever, ['a', ' A ', 'b', '']);
    expect(outcome).toMatchObject({
      value: {
        items: [
          { id: '1', query: 'b', score: 0.9 },
          { id: '2', query: 'a' },
        ],
        gaps: [],
      },
    });
    expect(retriever.asked).toHaveLength(2);
  });

  it('lets every query keep its best before any gets more than fits', async () => {
    const long = (id: string, score: number) => piece({ id, text: id.repeat(400), score });
    const stage = moving();
    const retriever = listed({ a: [long('1', 0.9), long('2', 0.8), long('3', 0.7)], b: [long('4', 0.1)] });
    const agent = async (run: Run) =>
      done(await gatherEvidence(run, retriever, ['a', 'b'], { limit: 5, maxCharacters: 1200 }));
    expect(await stage.open(agent).start()).toMatchObject({
      value: { items: [{ id: '1' }, { id: '4' }, { id: '2' }], gaps: [] },
    });
    expect(eventsOf(await stage.entries(), 'note')).toMatchObject([
      { event: { kind: 'evidence-bounded', dropped: 1 } },
    ]);
  });

  it('takes no more from a retriever than it asked for', async () => {
    const retriever = listed({ a: [1, 2, 3].map((n) => piece({ id: `${n}` })) });
    expect(await gathered(retriever, ['a'], { limit: 2 })).toMatchObject({
      value: { items: [{ id: '1' }, { id: '2' }] },
    });
  });

  it('refuses a piece without its provenance [R4-RETRIEVE-PORT]', async () => {
    for (const wrong of [{ source: '' }, { place: '  ' }, { score: Number.NaN }, { trust: 'friend' as never }])
      expect(await gathered(listed({ a: [piece({ id: '1', ...wrong })] }), ['a'])).toMatchObject({
        stop: 'failed',
        because: expect.stringMatching(/retrieverContract/),
      });
  });

  it('refuses a limit that makes no sense', async () => {
    expect(await gathered(listed({}), ['a'], { limit: 0 })).toMatchObject({
      stop: 'failed',
      failure: { code: 'CONFIG_INVALID' },
    });
  });
});

describe('evidence that was found later', () => {
  it('joins what was known, and closes its gaps [R4-LOOP-GAP]', () => {
    const known = { items: [piece({ id: '1', query: 'a' })], gaps: ['b', 'c'] };
    const fresh = { items: [piece({ id: '1', query: 'a', score: 1 }), piece({ id: '2', query: 'b' })], gaps: ['d'] };
    expect(mergeEvidence(known, fresh)).toMatchObject({
      items: [{ id: '1', score: 1 }, { id: '2' }],
      gaps: ['c', 'd'],
    });
  });

  it('does not grow with every retrieval: every query keeps its best, and what is dropped is told', async () => {
    const long = (id: string, query: string, score: number) => piece({ id, query, score, text: id.repeat(400) });
    const known = { items: [long('1', 'a', 0.9), long('2', 'a', 0.8), long('3', 'b', 0.2)], gaps: ['c', 'd'] };
    const fresh = { items: [long('4', 'c', 0.1), long('5', 'c', 0.05), long('6', 'd', 0.01)], gaps: [] };
    const stage = moving();
    const agent = async (run: Run) => done(mergeEvidence(known, fresh, { run, maxCharacters: 1300 }));
    const outcome = (await stage.open(agent).start()) as { readonly value: EvidenceBundle };
    expect(outcome.value.items.map(({ id }) => id)).toEqual(['1', '3', '4']);
    expect(outcome.value.gaps).toEqual([]);
    expect(eventsOf(await stage.entries(), 'note')).toMatchObject([
      { event: { kind: 'evidence-bounded', dropped: 3, kept: 3 } },
    ]);
  });

  it('stays within what one retrieval may bring, however often something is looked for', () => {
    let all: EvidenceBundle = { items: [], gaps: [] };
    for (let n = 0; n < 20; n++)
      all = mergeEvidence(all, { items: [piece({ id: `${n}`, query: `q${n}`, text: 'x'.repeat(9000) })], gaps: [] });
    expect(all.items.reduce((sum, { text }) => sum + text.length, 0)).toBeLessThanOrEqual(60_000);
    expect(all.items).toHaveLength(6);
  });
});
