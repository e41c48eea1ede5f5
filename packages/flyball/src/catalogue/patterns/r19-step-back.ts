import type { PatternSpec } from '../types.js';

export const r19: PatternSpec = {
  id: 'R19',
  name: 'Step-Back Prompting',
  category: 'reasoning',
  band: 'linear traces',
  purpose: 'Answers a more general question first and applies its principle to the case at hand.',
  whenNot: 'Not for arithmetic, and not where the general question is as hard.',
  mechanisms: ['M7'],
  exports: ['stepBack'],
  kind: 'agent',
  seats: {
    rewriter: {
      tools: 'none',
    },
    drafter: {
      tools: 'none',
    },
    answerer: {
      tools: 'none',
    },
    judge: {
      tools: 'none',
    },
  },
  params: {
    examples: {
      default: 3,
      range: [3, 5],
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
            fact: 'drafted',
            least: 0,
            most: 1,
          },
          {
            part: 'drafter',
          },
        ],
      },
      {
        times: [
          {
            fact: 'graded',
            least: 0,
            most: 1,
          },
          {
            part: 'judge',
          },
        ],
      },
      {
        part: 'answerer',
      },
    ],
  },
  bounds: [],
  failures: [
    {
      sign: 'The general question is the same in other words',
      end: 'retried',
    },
    {
      sign: 'The question is made general in the wrong way',
      end: 'flagged',
    },
    {
      sign: 'A false principle is stated with confidence',
      end: 'flagged',
    },
    {
      sign: 'The principle is ignored',
      end: 'flagged',
    },
    {
      sign: 'The general question cannot be answered either',
      end: 'fallback',
    },
  ],
  relations: [],
  clauses: [
    'The general question is one line and not an answer.',
    'It differs from the original and keeps none of its numbers.',
    'The session that states the principle does not read the original question.',
    'The session that answers reads the original word for word, the principle, and that it is to be applied.',
    'Question and principle are returned too.',
    'Fewer than three examples give a warning.',
    'There is no loop.',
  ],
};
