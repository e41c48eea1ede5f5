import type { PatternSpec } from '../types.js';

export const o8: PatternSpec = {
  id: 'O8',
  name: 'Loop Agent',
  category: 'orchestration',
  band: 'agentic',
  purpose: 'Repeats three or more roles in turn over one state until a judge from outside or a bound stops it.',
  whenNot: 'Not for one or two roles.',
  mechanisms: ['M7'],
  exports: ['cycle'],
  kind: 'agent',
  isLoop: true,
  seats: {
    roles: {
      tools: 'any',
    },
    test: {
      tools: 'none',
      apartFrom: ['roles'],
      otherModel: 'preferred',
    },
  },
  params: {
    maxRounds: {
      range: [5, 10],
      source: 'catalogue',
    },
    minGain: {
      source: 'catalogue',
    },
    patience: {
      default: 2,
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        fact: 'rounds',
        least: 1,
        most: {
          param: 'maxRounds',
        },
      },
      {
        sum: [
          {
            part: 'roles',
          },
          {
            part: 'test',
          },
        ],
      },
    ],
  },
  several: { roles: 2 },
  bounds: ['maxRounds', 'patience'],
  failures: [
    {
      sign: 'There is no bound',
      end: 'refused',
    },
    {
      sign: 'It stops getting better',
      end: 'bounded',
    },
    {
      sign: 'The verdict cannot be read',
      end: 'flagged',
    },
    {
      sign: 'The state grows too large',
      end: 'failed',
    },
  ],
  relations: [],
  clauses: [
    'The roles have the same order in every round.',
    'Each state comes from the one before.',
    'Requests do not grow with the rounds.',
    'The judge is no session of a role.',
    'What does not fit the schema of a role is refused.',
    'A role that says it is done changes nothing.',
    'At the bound the best state is returned.',
  ],
};
