import type { PatternSpec } from '../types.js';

export const r17: PatternSpec = {
  id: 'R17',
  name: 'Self-Consistency Voting',
  category: 'reasoning',
  band: 'reflection and verification',
  purpose: 'Draws several answers to one prompt and returns the one most agree on, with the share that agrees.',
  whenNot: 'Not for free text without a way to compare, and not where a test exists.',
  mechanisms: ['M5', 'M7', 'M12'],
  exports: ['selfConsistency'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
    same: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    samples: {
      default: 10,
      range: [5, 10],
      source: 'catalogue',
    },
    temperature: {
      default: 0.8,
      range: [0.7, 0.9],
      source: 'catalogue',
    },
    topP: {
      default: 0.95,
      source: 'catalogue',
    },
    minAgreement: {
      default: 0,
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            param: 'samples',
          },
          {
            part: 'agent',
          },
        ],
      },
      {
        times: [
          {
            fact: 'grouped',
            least: 0,
            most: 2,
          },
          {
            part: 'same',
          },
        ],
      },
    ],
  },
  bounds: ['samples'],
  failures: [
    {
      sign: 'All samples are nearly the same',
      end: 'flagged',
    },
    {
      sign: 'The model is wrong in the same way each time',
      end: 'flagged',
    },
    {
      sign: 'Free text is compared letter by letter',
      end: 'refused',
    },
    {
      sign: 'Samples fail',
      end: 'degraded',
    },
    {
      sign: 'It is used inside a loop',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['*cache'],
      when: {
        fact: 'shared-prefix',
      },
      why: 'All samples are sent together, while the prefix is cached.',
      table: 'B4',
      resolvedBy: 'samples-together',
    },
  ],
  clauses: [
    'All samples send identical messages.',
    'A temperature of 0 and a seed are refused.',
    'All samples are asked at once, and none sees another.',
    'Answers are read by a pure function.',
    'A failed sample abstains: it counts among those asked and is never a vote.',
    'Ties and the margin between the top two are reported.',
    'Below the required agreement the answer is degraded with reason `uncertain`.',
    'A session that groups answers returns numbers only; its words never become an answer.',
    'Agreement is not called a probability.',
  ],
};
