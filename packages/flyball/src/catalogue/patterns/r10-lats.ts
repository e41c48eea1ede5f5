import type { PatternSpec } from '../types.js';

export const r10: PatternSpec = {
  id: 'R10',
  name: 'Language Agent Tree Search',
  category: 'reasoning',
  band: 'search',
  purpose: 'Searches whole courses of action by Monte Carlo rollouts and goes deeper where they paid.',
  whenNot: 'Not below about fifty calls, and not without a signal of value.',
  mechanisms: ['M7'],
  exports: ['lats'],
  kind: 'agent',
  isLoop: true,
  seats: {
    proposer: {
      tools: 'none',
    },
    scorer: {
      tools: 'none',
      apartFrom: ['proposer'],
    },
    rollout: {
      tools: 'any',
    },
    critic: {
      tools: 'none',
    },
  },
  params: {
    branch: {
      default: 4,
      range: [3, 5],
      source: 'catalogue',
    },
    explore: {
      default: Math.SQRT2,
      source: 'catalogue',
    },
    maxRollouts: {
      source: 'catalogue',
    },
    maxNodes: {
      source: 'catalogue',
    },
    maxSteps: {
      range: [5, 30],
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'rollouts',
        least: 1,
        most: {
          param: 'maxRollouts',
        },
      },
      {
        sum: [
          {
            part: 'proposer',
          },
          {
            times: [
              {
                param: 'branch',
              },
              {
                part: 'scorer',
              },
            ],
          },
          {
            times: [
              {
                param: 'maxSteps',
              },
              {
                part: 'rollout',
              },
            ],
          },
          {
            part: 'scorer',
          },
          {
            part: 'critic',
          },
        ],
      },
    ],
  },
  bounds: ['maxRollouts', 'maxNodes', 'maxSteps', 'modelCalls', 'wallMs'],
  failures: [
    {
      sign: 'All scores are the same',
      end: 'flagged',
    },
    {
      sign: 'The tree confirms itself',
      end: 'refused',
    },
    {
      sign: 'There is no signal of value',
      end: 'refused',
    },
    {
      sign: 'A cap is reached',
      end: 'bounded',
    },
  ],
  relations: [],
  clauses: [
    'The proposer and the scorer are different sessions.',
    'Sibling actions differ.',
    'A child that was never tried comes before one that was.',
    'The visits of the root are the rollouts that were completed.',
    'The value of a node is the mean of its rollouts.',
    'Passing values up calls no model.',
    'A critique changes values and never the tree.',
    'All five caps are required.',
    'Where there is a test it replaces the scorer at leaves.',
    'A finished node is not expanded.',
    'The tree is gone after the task.',
  ],
};
