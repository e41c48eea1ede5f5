import type { PatternSpec } from '../types.js';

export const k10: PatternSpec = {
  id: 'K10',
  name: 'Long-Term Memory',
  category: 'knowledge',
  band: 'memory',
  purpose: 'Keeps facts across sessions and brings back those that matter now.',
  whenNot: 'Not for the record of one session, and not for notes that people navigate by name.',
  mechanisms: ['M9', 'M10'],
  exports: ['withMemory'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    extractor: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    limit: {
      default: 5,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        part: 'extractor',
      },
    ],
  },
  bounds: ['limit'],
  failures: [
    {
      sign: 'Somebody plants a false memory',
      end: 'blocked',
    },
    {
      sign: 'A memory is out of date',
      end: 'flagged',
    },
    {
      sign: 'A memory does not matter here',
      end: 'flagged',
    },
    {
      sign: 'The embedder is replaced',
      end: 'refused',
    },
    {
      sign: 'Two agents remember differently',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['K12'],
      when: {
        person: 'store-is-searched-or-navigated',
      },
      why: 'Search by likeness takes K10, navigation by name K12, and often both are right.',
      table: 'B4',
    },
  ],
  clauses: [
    'Recall never returns what belongs to somebody else.',
    'Each item says what kind it is, from which turn, when and on whose word.',
    'What neither the user said nor anything verified is refused.',
    'When there is nothing to remember, nothing is written.',
    'A fact that contradicts an older one replaces it, and the older one stays in the history only.',
    'An expired episode is not recalled.',
    'A procedure comes from at least two verified successes.',
    'What is recalled is labelled as memory.',
    'Forgetting removes the item and its vector.',
    'Memory survives a restart.',
  ],
};
