import type { PatternSpec } from '../types.js';

export const r18: PatternSpec = {
  id: 'R18',
  name: 'Graph of Thoughts',
  category: 'reasoning',
  band: 'search',
  purpose: 'Splits, improves and merges thoughts along a graph that the author draws.',
  whenNot: 'Not where nothing is merged, and not where the graph costs thirty times a plain answer.',
  mechanisms: ['M7'],
  exports: ['graphOfThoughts'],
  kind: 'agent',
  isLoop: true,
  seats: {
    proposer: {
      tools: 'none',
    },
    reviser: {
      tools: 'none',
    },
    editor: {
      tools: 'none',
    },
    test: {
      tools: 'none',
    },
  },
  params: {
    maxVertices: {
      source: 'catalogue',
    },
    maxDepth: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'generated',
            least: 0,
            most: {
              param: 'maxVertices',
            },
          },
          {
            part: 'proposer',
          },
        ],
      },
      {
        times: [
          {
            fact: 'refined',
            least: 0,
            most: {
              param: 'maxVertices',
            },
          },
          {
            part: 'reviser',
          },
        ],
      },
      {
        times: [
          {
            fact: 'merged',
            least: 0,
            most: {
              param: 'maxVertices',
            },
          },
          {
            part: 'editor',
          },
        ],
      },
      {
        times: [
          {
            fact: 'scored',
            least: 0,
            most: {
              param: 'maxVertices',
            },
          },
          {
            part: 'test',
          },
        ],
      },
    ],
  },
  bounds: ['maxVertices', 'maxDepth', 'modelCalls', 'costUsd'],
  failures: [
    {
      sign: 'A merge is bad',
      end: 'retried',
    },
    {
      sign: 'A cap is reached',
      end: 'bounded',
    },
    {
      sign: 'What is merged is too large',
      end: 'flagged',
    },
    {
      sign: 'A planned graph is not valid',
      end: 'refused',
    },
  ],
  relations: [],
  clauses: [
    'A merge without a test is refused.',
    'Cycles are refused.',
    'The scheduler calls no model.',
    'A vertex runs when all its parents have passed.',
    'A failed merge feeds nothing.',
    'A merge reads every parent.',
    'Operations keep their number of inputs and outputs.',
    'The session that scores gives a verdict only.',
    'Four caps are checked before anything starts.',
    'Every vertex is in the journal with its parents, operation and score.',
  ],
};
