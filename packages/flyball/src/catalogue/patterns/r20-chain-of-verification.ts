import type { PatternSpec } from '../types.js';

export const r20: PatternSpec = {
  id: 'R20',
  name: 'Chain-of-Verification',
  category: 'reasoning',
  band: 'reflection and verification',
  purpose: 'Asks about each claim of a draft anew where the draft cannot be seen, and removes what does not hold.',
  whenNot: 'Not where fewer than one in twenty facts is false, and not for style.',
  mechanisms: ['M6', 'M7'],
  exports: ['chainOfVerification'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
    planner: {
      tools: 'none',
    },
    checker: {
      tools: 'any',
      apartFrom: ['agent'],
    },
    critic: {
      tools: 'none',
    },
    reviser: {
      tools: 'none',
    },
  },
  params: {
    maxQuestions: {
      default: 8,
      range: [5, 10],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        part: 'planner',
      },
      {
        times: [
          {
            fact: 'questions',
            least: 0,
            most: {
              param: 'maxQuestions',
            },
          },
          {
            part: 'checker',
          },
        ],
      },
      {
        times: [
          {
            fact: 'compared',
            least: 0,
            most: 1,
          },
          {
            part: 'critic',
          },
        ],
      },
      {
        part: 'reviser',
      },
    ],
  },
  bounds: ['maxQuestions'],
  failures: [
    {
      sign: 'The draft leaks into a question',
      end: 'failed',
    },
    {
      sign: 'A question suggests its answer',
      end: 'retried',
    },
    {
      sign: 'No question is asked',
      end: 'degraded',
    },
    {
      sign: 'The revision adds facts',
      end: 'failed',
    },
    {
      sign: 'The model does not know it anywhere',
      end: 'fallback',
    },
    {
      sign: 'The draft is long',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'A request of the checker is its one question, without draft and without others.',
    'One model is used throughout.',
    'Questions ask one thing and do not suggest the answer.',
    'At most the cap is asked.',
    'An answer is one sentence or UNKNOWN.',
    'The comparison lists and never rewrites.',
    'Claims that are unknown or contradicted are gone from the result, and none is new.',
    'Every pair is in the journal.',
  ],
};
