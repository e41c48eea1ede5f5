import type { Session } from 'flyball';
import { toolLoop } from 'flyball/loops';
import { adaptiveRag, compression, fromBundle, pruning, rag, withQueryRewriting } from 'flyball/patterns/knowledge';
import { defineBundle, documentsRetriever, hashEmbedder } from 'flyball/retrieval';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';

/** One example of each pattern of knowledge: what the pages about them show. */

const model = scriptedModel({}); // a model of yours: createModels
const session = (name: string, setup: string): Session => ({ name, model, setup });
const documents = [
  { source: 'brakes.md', text: 'Bleed a hydraulic brake when the lever feels soft. Use mineral oil only.' },
  { source: 'prices.md', text: 'Bleeding a brake: 35 EUR for each wheel.' },
];
const library = documentsRetriever({ name: 'handbook', documents });
const readFile = tool({
  name: 'read_file',
  description: 'Reads a file of the project.',
  input: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  effect: 'pure',
  execute: async ({ path }) => `The text of ${String(path)}.`,
});

// #region rag
const embedder = hashEmbedder(); // by words; flyball/adapters/embedder-energetic searches by meaning
const handbook = rag({ embedder, answerer: session('clerk', 'You answer customers.') }, { limit: 6 });
await handbook.ingest(documents); // in every process, before runs use it
const answer = handbook.answer; // Agent<string, Cited>
// #endregion

// #region withQueryRewriting
const sources = withQueryRewriting(
  library,
  { rewriter: session('rewriter', 'You prepare searches.') },
  { how: 'multi', keys: 3 },
);
// #endregion

// #region adaptiveRag
const careful = adaptiveRag(
  {
    lookup: library,
    classifier: session('classifier', 'You sort questions.'),
    scorer: session('scorer', 'You judge documents.'),
    checker: session('checker', 'You check answers.'),
    rewriter: session('rewriter', 'You prepare searches.'),
    answerer: session('clerk', 'You answer customers.'),
  },
  { maxRounds: 2 },
);
// #endregion

// #region compression
const summarizer = session('summarizer', 'You summarize.');
const compressed = compression({ summarizer }, { maxTokens: 60_000 });
const reader = toolLoop({
  session: session('reader', 'You read projects.'),
  tools: [readFile],
  window: [compressed],
});
// #endregion

// #region pruning
const pruned = pruning({ stub: ({ name }) => `used output of ${name}` }, { at: 'subtask', keepRecent: 4 });
const browser = toolLoop({
  session: session('browser', 'You look things up.'),
  tools: [readFile],
  window: [pruned],
});
// #endregion

// #region fromBundle
const refundData = defineBundle({
  workflow: 'refund',
  version: '1',
  fields: [
    {
      name: 'order',
      source: 'shop database',
      shape: 'table',
      by: 'lookup',
      fetch: async ({ entity }) => ({ order: entity, cents: 3_500 }),
      ttlS: 0, // fetched every time
      auth: ['support'],
      authority: 'authoritative',
      ifMissing: { action: 'halt' },
    },
  ],
});
const refund = fromBundle({ spec: refundData, worker: session('clerk', 'Decide.') }, { roles: ['support'] });
// #endregion

export const agents = { reader, browser };
export const examples = {
  rag: answer,
  withQueryRewriting: sources,
  adaptiveRag: careful,
  compression: compressed,
  pruning: pruned,
  fromBundle: refund,
};
