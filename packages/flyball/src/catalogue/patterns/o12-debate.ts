import type { PatternSpec } from '../types.js';

export const o12: PatternSpec = {
  id: 'O12',
  name: 'Debate / Deliberation',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Lets sides with fixed positions answer each other over rounds, and somebody without one decide.',
  whenNot: 'Not where a test exists, and not for one right answer that can be counted.',
  mechanisms: ['M7'],
  exports: ['debate'],
  kind: 'agent',
  isLoop: true,
  seats: {
    debaters: {
      tools: 'none',
    },
    judge: {
      tools: 'none',
      apartFrom: ['debaters'],
      otherModel: 'preferred',
    },
    assigner: {
      tools: 'none',
    },
  },
  params: {
    rounds: {
      default: 2,
      range: [2, 3],
      source: 'catalogue',
    },
    sides: {
      default: 2,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'assigned',
            least: 0,
            most: 1,
          },
          {
            part: 'assigner',
          },
        ],
      },
      {
        times: [
          {
            param: 'rounds',
          },
          {
            part: 'debaters',
          },
        ],
      },
      {
        part: 'judge',
      },
    ],
  },
  several: { debaters: 'sides' },
  bounds: ['rounds'],
  failures: [
    {
      sign: 'A side leaves its position',
      end: 'flagged',
    },
    {
      sign: 'A round repeats the last',
      end: 'bounded',
    },
    {
      sign: 'The last speaker wins',
      end: 'flagged',
    },
    {
      sign: 'A turn fails',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'The rounds are capped.',
      table: 'B5',
    },
  ],
  clauses: [
    "Each side's setup has its one position, the same in all rounds.",
    "From the second round each request holds the others' last words exactly and asks for an answer to them.",
    'All sides of a round read the same state.',
    'The judge is a new session without a position and reads everything.',
    'A verdict without the best argument of each side is refused.',
    'The session that assigns positions gives no verdict.',
    'The whole debate is kept.',
  ],
};
