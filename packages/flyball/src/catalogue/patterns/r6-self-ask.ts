import type { PatternSpec } from '../types.js';

export const r6: PatternSpec = {
  id: 'R6',
  name: 'Self-Ask',
  category: 'reasoning',
  band: 'decomposition',
  purpose: 'Answers a question in several hops by asking and answering each sub-question in turn.',
  whenNot: 'Not for a single hop, and not for more than about five.',
  mechanisms: ['M4', 'M7'],
  exports: ['selfAsk'],
  kind: 'agent',
  isLoop: true,
  seats: {
    worker: {
      tools: 'none',
    },
    answerer: {
      tools: 'any',
      apartFrom: ['worker'],
    },
  },
  params: {
    maxHops: {
      default: 6,
      range: [4, 6],
      source: 'catalogue',
    },
    examples: {
      default: 4,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'asked',
            least: 1,
            most: {
              sum: [
                1,
                {
                  param: 'maxHops',
                },
              ],
            },
          },
          {
            part: 'worker',
          },
        ],
      },
      {
        times: [
          {
            fact: 'hops',
            least: 0,
            most: {
              param: 'maxHops',
            },
          },
          {
            part: 'answerer',
          },
        ],
      },
    ],
  },
  bounds: ['maxHops'],
  failures: [
    {
      sign: 'It never stops asking',
      end: 'bounded',
    },
    {
      sign: 'The first question is wrong',
      end: 'flagged',
    },
    {
      sign: 'Answers are invented',
      end: 'fallback',
    },
    {
      sign: 'A tool returns whole documents',
      end: 'flagged',
    },
    {
      sign: 'The marks are not used',
      end: 'retried',
    },
  ],
  relations: [],
  clauses: [
    'A reply is cut after its first sub-question, so an answer it gave itself is dropped.',
    'The session that answers reads the sub-question alone.',
    'There is one answer a hop.',
    'A hop begins when the one before has ended.',
    'The last call reads all pairs and cannot ask again.',
    'Small differences in the marks are accepted, and anything else fails.',
  ],
};
