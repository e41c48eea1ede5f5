import { retrieverContract, scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { inRun, session } from '../../../../test/checks/stage-checks.js';
import type { Embedder } from '../ports/embedder.js';
import { hashEmbedder } from './hash-embedder.js';
import { vanillaRag } from './rag.js';

const { signal } = new AbortController();
const BILLING = {
  source: 'billing.md',
  text: '# Terms\n\nInvoices are due within thirty days.\n\n# Dunning\n\nRemind when an invoice is unpaid for a week or two, in writing.',
};
const LAW = { source: 'law.md', text: 'An invoice must carry a date.', authority: true, trust: 'system' } as const;
const PETS = { source: 'pets.md', text: 'The cat sleeps on the red sofa.' };

async function shelf(more: Partial<Parameters<typeof vanillaRag>[0]> = {}) {
  const rag = vanillaRag({ name: 'handbook', embedder: hashEmbedder(), passage: 100, ...more });
  await rag.ingest([BILLING, LAW, PETS], { signal });
  return rag;
}

retrieverContract({ describe, it }, 'passages', async () => ({
  retriever: await shelf({ rate: async (query, { text }) => (shares(query, text) ? 8 : 1) }),
  finds: 'invoice',
  findsAlso: 'a date on the invoice',
  findsNothing: 'volcano eruption',
}));

function shares(query: string, text: string): boolean {
  return query.split(/\W+/).some((word) => word.length > 3 && text.toLowerCase().includes(word.toLowerCase()));
}

describe('answering from passages', () => {
  async function answered(reply: string, question = 'When are invoices due?') {
    const model = scriptedModel({ answerer: reply });
    const rag = await shelf();
    const cited = await inRun((run) => rag.answer(run, question, { session: session(model, 'answerer'), k: 2 }));
    return { cited, model };
  }

  it('shows every piece with its source and number, and resolves what the answer cites', async () => {
    const { cited, model } = await answered('Within thirty days [1].');
    expect(cited).toMatchObject({ kind: 'answered', citations: [{ number: 1, evidence: { source: 'billing.md' } }] });
    expect(model.promptAt('answerer')).toMatch(/<document number="1" source="billing.md" place="characters \d+-\d+"/);
    expect(model.requests).toHaveLength(1);
  });

  it('does not pass off what it never retrieved', async () => {
    const { cited } = await answered('Within thirty days [99], [1].');
    expect(cited).toMatchObject({ kind: 'unresolved', numbers: [99] });
  });

  it('says when the documents are silent, and when nothing is cited', async () => {
    expect((await answered('NOT COVERED.')).cited).toEqual({ kind: 'not-covered' });
    expect((await answered('Thirty days.')).cited).toMatchObject({ kind: 'uncited' });
  });

  it('asks nobody where nothing was found', async () => {
    const rag = vanillaRag({ name: 'empty', embedder: hashEmbedder() });
    const model = scriptedModel({});
    const cited = await inRun((run) => rag.answer(run, 'x', { session: session(model, 'answerer') }));
    expect(cited).toEqual({ kind: 'not-covered' });
  });
});

describe('ingesting', () => {
  it('embeds only the passages of an edited document that changed', async () => {
    const inner = hashEmbedder();
    const embedded: string[] = [];
    const embedder: Embedder = {
      ...inner,
      embed: (texts, how) => {
        if (how.as === 'document') embedded.push(...texts);
        return inner.embed(texts, how);
      },
    };
    const rag = await shelf({ embedder });
    embedded.length = 0;
    const edited = { ...BILLING, text: BILLING.text.replace('thirty', 'sixty') };
    expect(rag.isStale(edited)).toBe(true);
    const report = await rag.ingest([edited, PETS], { signal });
    expect(report).toEqual({ added: [], changed: ['billing.md'], unchanged: ['pets.md'], embedded: 1 });
    expect(embedded).toEqual([expect.stringContaining('sixty')]);
    expect(rag.isStale(edited)).toBe(false);
  });

  it('leaves the index as it was where it fails', async () => {
    const inner = hashEmbedder();
    let broken = false;
    const embedder: Embedder = {
      ...inner,
      embed: (texts, how) =>
        broken && how.as === 'document' ? Promise.reject(new Error('down')) : inner.embed(texts, how),
    };
    const rag = await shelf({ embedder });
    broken = true;
    await expect(rag.ingest([{ source: 'new.md', text: 'New.' }], { signal })).rejects.toThrow('down');
    expect(rag.isStale({ source: 'new.md', text: 'New.' })).toBe(true);
    expect((await rag.retrieve('cat', { limit: 1, signal }))[0]?.source).toBe('pets.md');
  });

  it('finds with an exact number what a vector of few dimensions cannot tell apart', async () => {
    const documents = Array.from({ length: 60 }, (_none, nth) => ({
      source: `status-${400 + nth}`,
      text: `Status code ${400 + nth} tells the client what went wrong with the request.`,
    }));
    const rag = vanillaRag({ name: 'codes', embedder: hashEmbedder({ dimensions: 16 }) });
    await rag.ingest(documents, { signal });
    const [first] = await rag.retrieve('What does 421 mean?', { limit: 1, signal });
    expect(first?.source).toBe('status-421');
  });
});
