import type { PatternSpec } from '../types.js';

export const k5: PatternSpec = {
  id: 'K5',
  name: 'Adaptive RAG',
  category: 'knowledge',
  band: 'retrieval',
  purpose:
    'Looks things up only when it helps, checks what came back, tries again elsewhere, and says when nothing was found.',
  whenNot: 'Not for a fixed workflow whose needs are known.',
  mechanisms: ['M7', 'M9'],
  exports: ['adaptiveRag'],
  kind: 'agent',
  isLoop: true,
  seats: {
    classifier: {
      tools: 'none',
      apartFrom: ['answerer'],
    },
    scorer: {
      tools: 'none',
      apartFrom: ['answerer', 'classifier'],
    },
    checker: {
      tools: 'none',
      apartFrom: ['answerer', 'classifier', 'scorer'],
    },
    rewriter: {
      tools: 'none',
    },
    answerer: {
      tools: 'none',
    },
  },
  params: {
    maxRounds: {
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
        part: 'classifier',
      },
      {
        times: [
          {
            fact: 'lookups',
            least: 0,
            most: 2,
          },
          {
            part: 'lookup',
          },
        ],
      },
      {
        times: [
          {
            fact: 'otherLookups',
            least: 0,
            most: 1,
          },
          {
            part: 'fallbacks',
          },
        ],
      },
      {
        times: [
          {
            fact: 'judged',
            least: 0,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'scorer',
          },
        ],
      },
      {
        times: [
          {
            fact: 'rewritten',
            least: 0,
            most: 1,
          },
          {
            part: 'rewriter',
          },
        ],
      },
      {
        times: [
          {
            fact: 'answered',
            least: 0,
            most: 2,
          },
          {
            part: 'answerer',
          },
        ],
      },
      {
        times: [
          {
            fact: 'checked',
            least: 0,
            most: 1,
          },
          {
            part: 'checker',
          },
        ],
      },
    ],
  },
  bounds: ['maxRounds'],
  failures: [
    {
      sign: 'The rounds are used up',
      end: 'degraded',
    },
    {
      sign: 'The answer is still unsupported after a revision',
      end: 'degraded',
    },
    {
      sign: 'A verdict cannot be read',
      end: 'retried',
    },
    {
      sign: 'The classifier is wrong too often',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'The classifier of adaptiveRag is shown the question and no document.',
    'The scorer sees no answer and cannot fetch anything; judges have no tools and are not the session that answers.',
    'What a fallback finds is judged like everything else before it is used.',
    'The checker is shown the answer and the documents, and not the question.',
    'The session that answers gets approved documents only, and cannot look anything up.',
    'adaptiveRag never judges more often than maxRounds, whatever the verdicts are.',
    'The answer of adaptiveRag says which path it took, what the judges said and whether it is grounded.',
  ],
};
