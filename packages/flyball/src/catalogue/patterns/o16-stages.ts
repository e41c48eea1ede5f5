import type { PatternSpec } from '../types.js';

export const o16: PatternSpec = {
  id: 'O16',
  name: 'Hybrid Control Flow',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Gives each phase of a task its own kind of loop, joined by named transitions and bounded one by one.',
  whenNot: 'Not for several roles, and not for steps without loops.',
  mechanisms: ['M6', 'M7'],
  exports: ['stages'],
  kind: 'agent',
  isLoop: true,
  seats: {
    stages: {
      tools: 'any',
    },
    judge: {
      tools: 'none',
    },
  },
  params: {
    maxRetries: {
      source: 'catalogue',
    },
    explore: {
      default: 20,
      source: 'catalogue',
    },
    steps: {
      default: 10,
      source: 'catalogue',
    },
    edits: {
      default: 5,
      source: 'catalogue',
    },
    retries: {
      default: 3,
      source: 'catalogue',
    },
    visits: {
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'visits',
            least: 1,
            most: {
              param: 'visits',
            },
          },
          {
            part: 'stages',
          },
        ],
      },
      {
        times: [
          {
            fact: 'judged',
            least: 0,
            most: {
              param: 'visits',
            },
          },
          {
            part: 'judge',
          },
        ],
      },
    ],
  },
  bounds: ['maxRetries', 'visits'],
  failures: [
    {
      sign: 'A cap is missing',
      end: 'refused',
    },
    {
      sign: 'The worst case exceeds the budget',
      end: 'refused',
    },
    {
      sign: 'It goes back and forth between phases',
      end: 'bounded',
    },
    {
      sign: 'All retries are used',
      end: 'bounded',
    },
    {
      sign: 'A phase brings nothing',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'Phases cannot change.',
    'Neighbors use different kinds of loop.',
    'Every edge has a named transition.',
    'Every phase has its own cap, and reaching one leaves the others as they are.',
    'Setups differ and memory stays.',
    'Tools of other phases are out of reach.',
    'The journal has entering, leaving and every transition.',
    'A phase is entered again only by a retry.',
  ],
};
