import { type RagOptions, type RagParts, rag, useOf } from 'flyball/patterns';
import { HybridIndex, hashEmbedder } from 'flyball/retrieval';
import { retrieverContract, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { ended, session } from '../../../../../test/patterns/bed.js';
import type { Embedder } from '../../ports/embedder.js';
import { passagesOf } from '../../retrieval/passages.js';

const { signal } = new AbortController();
const BILLING = {
  source: 'billing.md',
  text: '# Terms\n\nInvoices are due within thirty days.\n\n# Dunning\n\nRemind when an invoice is unpaid for a week or two, in writing.',
};
const LAW = { source: 'law.md', text: 'An invoice must carry a date.', authority: true, trust: 'system' } as const;
const PETS = { source: 'pets.md', text: 'The cat sleeps on the red sofa.' };
const nobody = session(scriptedModel({}), 'answerer');

async function shelf(more: Partial<RagParts> = {}, options: RagOptions = {}) {
  const library = rag({ embedder: hashEmbedder(), answerer: nobody, ...more }, { passage: 100, limit: 2, ...options });
  await library.ingest([BILLING, LAW, PETS]);
  return library;
}

const shares = (query: string, text: string): boolean =>
  query.split(/\W+/).some((word) => word.length > 3 && text.toLowerCase().includes(word.toLowerCase()));

retrieverContract({ describe, it }, 'passages', async () => ({
  retriever: await shelf({ reranker: async (query, { text }) => (shares(query, text) ? 8 : 1) }),
  finds: 'invoice',
  findsAlso: 'a date on the invoice',
  findsNothing: 'volcano eruption',
}));

async function answered(reply: string, question = 'When are invoices due?') {
  const model = scriptedModel({ answerer: reply });
  const library = await shelf({ answerer: session(model, 'answerer') });
  return { ...(await ended(library.answer, question)), model };
}

describe('rag, answering', () => {
  it('shows every piece with its source and number, and resolves what the answer cites [K1.2] [K1.3]', async () => {
    const { outcome, model } = await answered('Within thirty days [1].');
    expect(outcome).toMatchObject({
      stop: 'done',
      value: { kind: 'answered', citations: [{ number: 1, evidence: { source: 'billing.md' } }] },
    });
    expect(model.promptAt('answerer')).toMatch(/<document number="1" source="billing.md" place="characters \d+-\d+"/);
    expect(model.requests).toHaveLength(1);
  });

  it('shows each of several pieces with its number, source and place [K1.2]', async () => {
    const { model, outcome } = await answered(
      'In writing [1], with a date [2].',
      'What must an unpaid invoice carry, in writing?',
    );
    const shown = [
      ...model
        .promptAt('answerer')
        .matchAll(/<document number="(\d+)" source="([^"]+)" place="characters \d+-\d+"[^>]*>/g),
    ];
    expect(shown.map(([, number]) => number)).toEqual(['1', '2']);
    expect(shown.map(([, , source]) => source).sort()).toEqual(['billing.md', 'law.md']);
    expect(model.promptAt('answerer').match(/<document /g)).toHaveLength(2);
    expect(outcome).toMatchObject({ value: { citations: [{ number: 1 }, { number: 2 }] } });
  });

  it('is blocked where it cites what was never found [K1.3] [K1.acceptance]', async () => {
    const { outcome } = await answered('Within thirty days [99], [1].');
    expect(outcome).toMatchObject({ stop: 'blocked', partial: { kind: 'unresolved', numbers: [99] } });
    expect(outcome).toMatchObject({ because: 'the answer cites [99], and the highest number of a passage is 1' });
  });

  it('says when the documents are silent, and when nothing is cited [K1.7]', async () => {
    expect((await answered('NOT COVERED.')).outcome).toMatchObject({ value: { kind: 'not-covered' } });
    expect((await answered('Thirty days.')).outcome).toMatchObject({ value: { kind: 'uncited' } });
  });

  it('asks nobody where nothing was found, and says so [K1.7]', async () => {
    const { outcome, uses } = await ended(rag({ embedder: hashEmbedder(), answerer: nobody }).answer, 'x');
    expect(outcome).toMatchObject({ stop: 'done', value: { kind: 'not-covered' } });
    expect(uses[0]).toMatchObject({ modelCalls: 0, predicted: { min: 0, max: 1 }, learned: { asked: 0 } });
  });

  it('says what it costs: nothing to look up, at most one call to answer [R11-PATTERN-USE]', async () => {
    const library = await shelf();
    expect(useOf(library)).toMatchObject({ id: 'K1', predicted: { min: 0, max: 0 } });
    expect(useOf(library.answer)).toMatchObject({ id: 'K1', predicted: { min: 0, max: 1 } });
    const tools = { ...nobody, tools: [] };
    expect(() => rag({ embedder: hashEmbedder(), answerer: tools })).toThrow('rag (K1) needs a answerer without tools');
  });
});

describe('rag, looking up', () => {
  it('belongs to the embedder that made its index: another one is refused [K1.1] [K1.acceptance]', async () => {
    const embedder = { ...hashEmbedder() };
    const library = await shelf({ embedder });
    Object.assign(embedder, { id: 'another/embedder' });
    await expect(library.retrieve('cat', { limit: 1, signal })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const wider = { ...hashEmbedder() };
    const second = await shelf({ embedder: wider });
    Object.assign(wider, { dimensions: 7 });
    await expect(second.retrieve('cat', { limit: 1, signal })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('gives the nearest there is, however little it has to do with the question [K1.4]', async () => {
    const library = await shelf();
    expect((await library.retrieve('Who repairs a sofa?', { limit: 1, signal })).map(({ source }) => source)).toEqual([
      'pets.md',
    ]);
  });

  it('finds the only passage that it has [K1.4]', async () => {
    const library = rag({ embedder: hashEmbedder(), answerer: nobody });
    await library.ingest([LAW]);
    expect(
      (await library.retrieve('What must an invoice carry?', { limit: 3, signal })).map(({ text }) => text),
    ).toEqual([LAW.text]);
  });

  it('rates a subset of what it found, best first [K1.5]', async () => {
    const seen: string[] = [];
    const library = await shelf({
      reranker: async (_query, { id, source }) => {
        seen.push(id);
        return source === 'law.md' ? 9 : source === 'billing.md' ? 6 : 0;
      },
    });
    const found = await library.retrieve('invoice', { limit: 5, signal });
    expect(found.every(({ id }) => seen.includes(id))).toBe(true);
    expect(found.map(({ source }) => source)).toEqual(['law.md', ...found.slice(1).map(() => 'billing.md')]);
  });

  it('cuts documents without gaps, and no paragraph that fits [K1.6]', () => {
    const paragraphs = Array.from({ length: 40 }, (_, n) => `Paragraph ${n}: ${'word '.repeat(5 + (n % 9))}end.`);
    const text = paragraphs.join('\n\n');
    const passages = passagesOf(text, { most: 200 });
    const covered = passages.map(({ from, to }) => text.slice(from, to)).join('\n\n');
    expect(covered).toBe(text);
    for (const paragraph of paragraphs)
      expect(
        passages.some((passage) => passage.text.includes(paragraph)),
        paragraph,
      ).toBe(true);
  });

  it('finds exact numbers that a vector of few dimensions cannot tell apart: recall at 5 of each side [K1.acceptance]', async () => {
    const filler = (nth: number) => Array.from({ length: 40 }, (_none, n) => `word${nth * 40 + n}`).join(' ');
    const documents = Array.from({ length: 60 }, (_none, nth) => ({
      source: `status-${400 + nth}`,
      text: `Status code ${400 + nth} tells the client what went wrong: ${filler(nth)}.`,
    }));
    const embedder = hashEmbedder({ dimensions: 16 });
    const library = rag({ embedder, answerer: nobody });
    await library.ingest(documents);
    const titled = documents.map(({ source, text }) => ({ id: source, title: source, text }));
    const index = await HybridIndex.of(titled, { embedder, signal });
    const recall = async (found: (query: string) => Promise<readonly string[]>): Promise<number> => {
      const hits = await Promise.all(
        documents.map(async ({ source }) => (await found(`What is ${source.slice(7)}?`)).includes(source)),
      );
      return hits.filter(Boolean).length / documents.length;
    };
    const side = (by: 'words' | 'meaning') => async (query: string) =>
      (await index.search(query, { limit: 5, signal, by })).map(({ id }) => id);
    const [dense, sparse] = [await recall(side('meaning')), await recall(side('words'))];
    const hybrid = await recall(async (query) =>
      (await library.retrieve(query, { limit: 5, signal })).map(({ source }) => source),
    );
    expect(dense).toBeLessThan(0.5);
    expect([sparse, hybrid]).toEqual([1, 1]);
  });
});

describe('rag, ingesting', () => {
  it('embeds only the passages of an edited document that changed [K1.acceptance]', async () => {
    const inner = hashEmbedder();
    const embedded: string[] = [];
    const embedder: Embedder = {
      ...inner,
      embed: (texts, how) => {
        if (how.as === 'document') embedded.push(...texts);
        return inner.embed(texts, how);
      },
    };
    const library = await shelf({ embedder });
    embedded.length = 0;
    const edited = { ...BILLING, text: BILLING.text.replace('thirty', 'sixty') };
    expect(library.isStale(edited)).toBe(true);
    const report = await library.ingest([edited, PETS], { signal });
    expect(report).toEqual({ added: [], changed: ['billing.md'], unchanged: ['pets.md'], embedded: 1 });
    expect(embedded).toEqual([expect.stringContaining('sixty')]);
    expect(library.isStale(edited)).toBe(false);
  });

  it('leaves the index as it was where it fails', async () => {
    const inner = hashEmbedder();
    let broken = false;
    const embedder: Embedder = {
      ...inner,
      embed: (texts, how) =>
        broken && how.as === 'document' ? Promise.reject(new Error('down')) : inner.embed(texts, how),
    };
    const library = await shelf({ embedder });
    broken = true;
    await expect(library.ingest([{ source: 'new.md', text: 'New.' }])).rejects.toThrow('down');
    expect(library.isStale({ source: 'new.md', text: 'New.' })).toBe(true);
    expect((await library.retrieve('cat', { limit: 1, signal }))[0]?.source).toBe('pets.md');
  });
});
