import type { PatternSpec } from '../types.js';

export const r11: PatternSpec = {
  id: 'R11',
  name: 'Buffer of Thoughts',
  category: 'reasoning',
  band: 'search',
  purpose: 'Reuses outlines of reasoning that worked on problems of the same form.',
  whenNot: 'Not where problems have no recurring form.',
  mechanisms: ['M9', 'M10'],
  exports: ['bufferOfThoughts'],
  kind: 'agent',
  seats: {
    extractor: {
      tools: 'none',
    },
    planner: {
      tools: 'none',
      apartFrom: ['extractor'],
    },
    answerer: {
      tools: 'none',
      apartFrom: ['planner'],
    },
    curator: {
      tools: 'none',
    },
  },
  params: {
    limit: {
      default: 3,
      source: 'catalogue',
    },
    minScore: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'extractor',
      },
      {
        times: [
          {
            fact: 'matched',
            least: 0,
            most: 1,
          },
          {
            part: 'planner',
          },
        ],
      },
      {
        times: [
          {
            fact: 'answered',
            least: 0,
            most: 1,
          },
          {
            part: 'answerer',
          },
        ],
      },
      {
        times: [
          {
            fact: 'fallbacks',
            least: 0,
            most: 1,
          },
          {
            part: 'otherwise',
          },
        ],
      },
    ],
  },
  bounds: ['limit'],
  failures: [
    {
      sign: 'The wrong outline is taken',
      end: 'fallback',
    },
    {
      sign: 'An outline stops working',
      end: 'flagged',
    },
    {
      sign: 'An outline is made up',
      end: 'failed',
    },
    {
      sign: 'Outlines are edited too often',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['R9'],
      when: {
        person: 'problems-recur',
      },
      why: 'Outlines cost about an eighth of a search: new problems take the search.',
      table: 'B4',
    },
  ],
  clauses: [
    'The search key is a description of the problem and never the problem itself.',
    'The description contains no answer.',
    'An outline fits a schema and cannot be executed.',
    'All four sessions are separate.',
    'Solving writes nothing to the store.',
    'Where nothing matches, the other path is taken, under a budget.',
    'Outlines are curated in batches and never per problem.',
  ],
};
