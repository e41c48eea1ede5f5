import type { PatternSpec } from '../types.js';

export const k3: PatternSpec = {
  id: 'K3',
  name: 'GraphRAG',
  category: 'knowledge',
  band: 'retrieval',
  purpose:
    'Answers questions about relations, and about a whole collection, from a graph of entities with summaries of its communities.',
  whenNot:
    'Not where most questions are about one passage, and not before the plain index has been tried on hard questions.',
  mechanisms: ['M6', 'M9'],
  exports: ['graphRag'],
  kind: 'retriever',
  seats: {
    extractor: {
      tools: 'none',
    },
    summarizer: {
      tools: 'none',
    },
    classifier: {
      tools: 'none',
      apartFrom: ['answerer'],
    },
    editor: {
      tools: 'none',
    },
    answerer: {
      tools: 'none',
    },
  },
  params: {
    maxHops: {
      default: 2,
      source: 'catalogue',
    },
    examples: {
      range: [2, 3],
      source: 'catalogue',
    },
    communities: {
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'classified',
            least: 0,
            most: 1,
          },
          {
            part: 'classifier',
          },
        ],
      },
      {
        times: [
          {
            fact: 'partials',
            least: 0,
            most: {
              param: 'communities',
            },
          },
          {
            part: 'summarizer',
          },
        ],
      },
      {
        times: [
          {
            fact: 'reduced',
            least: 0,
            most: 1,
          },
          {
            part: 'editor',
          },
        ],
      },
      {
        part: 'answerer',
      },
    ],
  },
  bounds: ['maxHops'],
  failures: [
    {
      sign: 'Entities are extracted wrongly',
      end: 'flagged',
    },
    {
      sign: 'The extraction cannot be read',
      end: 'flagged',
    },
    {
      sign: 'The question names an unknown entity',
      end: 'fallback',
    },
    {
      sign: 'The corpus changed after the build',
      end: 'flagged',
    },
    {
      sign: 'Nearly all questions are local',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'Each edge names a source passage with both ends in it, or is dropped and counted.',
    'Communities are found without a model and are the same for a seed.',
    'Each summary request holds one community, and each partial answer one summary.',
    'The editor reads partial answers and no summaries.',
    'A question takes one route and never both.',
    'The calls of a build are estimated and held against the budget first.',
  ],
};
