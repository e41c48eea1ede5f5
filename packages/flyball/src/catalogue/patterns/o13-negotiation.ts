import type { PatternSpec } from '../types.js';

export const o13: PatternSpec = {
  id: 'O13',
  name: 'Negotiation',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Lets parties with private, conflicting interests exchange offers until all accept or there is no deal.',
  whenNot: 'Not where the parties share a goal, and not for a forced allocation.',
  mechanisms: ['M7'],
  exports: ['negotiation'],
  kind: 'agent',
  isLoop: true,
  seats: {
    parties: {
      tools: 'none',
    },
    mediator: {
      tools: 'none',
      apartFrom: ['parties'],
      otherModel: 'preferred',
    },
    judge: {
      tools: 'none',
      apartFrom: ['parties'],
      otherModel: 'preferred',
    },
  },
  params: {
    maxRounds: {
      source: 'catalogue',
    },
    patience: {
      default: 3,
      source: 'catalogue',
    },
    minGain: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'rounds',
            least: 1,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'parties',
          },
        ],
      },
      {
        times: [
          {
            fact: 'mediated',
            least: 0,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'mediator',
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
            part: 'judge',
          },
        ],
      },
    ],
  },
  several: { parties: 2 },
  bounds: ['maxRounds', 'patience', 'wallMs'],
  failures: [
    {
      sign: 'A party accepts less than its alternative',
      end: 'blocked',
    },
    {
      sign: 'A move is not allowed',
      end: 'retried',
    },
    {
      sign: 'A private value leaks',
      end: 'blocked',
    },
    {
      sign: 'A cap is reached',
      end: 'blocked',
    },
  ],
  relations: [],
  clauses: [
    "A party's interests are in its own requests only.",
    'They cannot change during a run.',
    'A party without an alternative is refused.',
    'A move has one value for each issue and no free text.',
    'There is no deal unless all accept the same package.',
    'Every deal is scored again in code.',
    'A judge who sees agreement where not all agreed is ignored.',
    'Mediator and judge make no moves.',
    'The state is sent with each call, its hard limits at an edge of the prompt.',
  ],
};
