import type { PatternSpec } from '../types.js';

export const k2: PatternSpec = {
  id: 'K2',
  name: 'Query Transformation',
  category: 'knowledge',
  band: 'retrieval',
  purpose: 'Turns a poor question into better search keys before anything is looked up.',
  whenNot: 'Not where the plain question already finds nine of ten answers.',
  mechanisms: ['M1'],
  exports: ['withQueryRewriting'],
  kind: 'retriever',
  seats: {
    rewriter: {
      tools: 'none',
    },
  },
  params: {
    how: {
      source: 'catalogue',
    },
    keys: {
      default: 3,
      source: 'ours',
    },
    limit: {
      default: 5,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'rewriter',
      },
      {
        times: [
          {
            fact: 'retrievals',
            least: 1,
            most: {
              param: 'keys',
            },
          },
          {
            part: 'lookup',
          },
        ],
      },
    ],
  },
  bounds: ['keys'],
  failures: [
    {
      sign: 'The rewrite loses a number or a name',
      end: 'fallback',
    },
    {
      sign: 'The rewrite is empty or cannot be read',
      end: 'fallback',
    },
    {
      sign: 'A precise question is made vague',
      end: 'fallback',
    },
    {
      sign: 'The corpus does not have the answer',
      end: 'flagged',
    },
    {
      sign: 'It takes too long',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'The answerer gets the question as it was asked, never a search key or an imagined answer.',
    'With hyde, the imagined answer itself is searched for.',
    'A rewrite is shown the turns it was given and no others; the other transformations are shown none.',
    'What several keys find is joined by reciprocal rank, each piece once, as computed by hand.',
    'The question and the keys made of it are in the journal.',
    'withQueryRewriting takes any retriever or lookup agent as it is, also one that rewrites in turn.',
  ],
};
