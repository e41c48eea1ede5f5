import type { MechanismSpec } from './types.js';

/** Twelve properties of language models that patterns follow from, and what a runtime has to do about each. */
export const mechanisms: readonly MechanismSpec[] = [
  {
    id: 'M1',
    name: 'Attention is a learned bilinear form',
    grade: 'axiom',
    says: 'How much one token matters to another goes through learned weights, so closeness of embeddings is another measure than relevance, and descriptions that mean nearly the same compete.',
    therefore:
      'Measure retrieval and relevance apart, warn about tools whose descriptions nearly agree, ask for when and when not in each, and test which tool is chosen after every change.',
  },
  {
    id: 'M2',
    name: 'Prefill is quadratic',
    grade: 'axiom',
    says: 'Reading n tokens costs about n squared: twice the prompt is four times the work.',
    therefore:
      'Record input, cached and output tokens of each call, report what each segment adds, allow budgets on it, and shape every tool result before it goes back in.',
  },
  {
    id: 'M3',
    name: 'The key-value cache only grows and never outlives a call',
    grade: 'axiom',
    says: 'What a model computed for a prompt is appended to and never edited, and nothing of it remains after the call.',
    therefore:
      'Build each request from explicit state, edit the context only at declared places, and never pretend that a write changes a call in flight.',
  },
  {
    id: 'M4',
    name: 'Middle content is under-attended',
    grade: 'direction',
    says: 'What stands at the start and the end of a prompt is recalled well, what stands between badly.',
    therefore:
      'Give each segment a place, put identity and constraints first and the task last, and measure the curve of each model.',
  },
  {
    id: 'M5',
    name: 'Prefix caching is cache engineering',
    grade: 'direction',
    says: 'A provider can reuse a prefix of identical bytes for some minutes at about a tenth of the price; one byte that differs loses all that follows.',
    therefore:
      'Serialize the same way each time, put what is stable first, record hits and misses, and send fan-outs while the prefix is cached.',
  },
  {
    id: 'M6',
    name: 'Subagents bound n',
    grade: 'axiom',
    says: 'Each agent has a sequence of its own: k separate parts turn n squared into about n squared over k.',
    therefore:
      'Start helpers with an empty context and a brief, return a short typed result, and keep what they did in the trace.',
  },
  {
    id: 'M7',
    name: 'Generation samples and cannot take back',
    grade: 'axiom',
    says: 'Each token is drawn given those before it: a wrong start is elaborated, and no prompt makes output exact.',
    therefore:
      'Put every guarantee into code, make revision a new call, record model, temperature and seed, and check at the boundary whatever the provider promises.',
  },
  {
    id: 'M8',
    name: 'Match model size to the task',
    grade: 'direction',
    says: 'Reasoning needs a large model; routing, classifying, converting and looking up do not.',
    therefore:
      'Give models to roles and not to the whole system, report cost by role, and try smaller models on the same cases.',
  },
  {
    id: 'M9',
    name: 'Storage has five tiers',
    grade: 'direction',
    says: 'In the prompt, in the prefix cache, in a vector index, under an exact key, in cold storage: each costs something else to write and to read.',
    therefore:
      'Say for each item where it lives and how often it is read, and flag what is sent every time and neither cached nor needed.',
  },
  {
    id: 'M10',
    name: 'Memory is retrieval',
    grade: 'axiom',
    says: 'Weights do not change between calls: what looks like learning is a document that is read again.',
    therefore:
      'Keep memory as versioned documents that can be compared, exported, undone and deleted, and pass to helpers what they need to know.',
  },
  {
    id: 'M11',
    name: 'Compaction is lossy, random and cache-breaking',
    grade: 'direction',
    says: 'A summary loses something, differs each time and loses the cache; menus keep costing after the choice is made.',
    therefore:
      'Make it an event with counts, keep the original elsewhere, protect commitments and ids, and drop menus once the decision is made.',
  },
  {
    id: 'M12',
    name: 'Positions are relative rotations',
    grade: 'axiom',
    says: 'Only the distance between tokens counts, and what is near is favored.',
    therefore:
      'Put the most typical example last, follow text from outside with a trusted reminder, and give all samples of a vote the same prefix.',
  },
];
