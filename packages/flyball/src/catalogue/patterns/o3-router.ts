import type { PatternSpec } from '../types.js';

export const o3: PatternSpec = {
  id: 'O3',
  name: 'Routing',
  category: 'orchestration',
  band: 'fixed workflows',
  purpose: 'Decides what kind of input it is and runs the one agent made for it.',
  whenNot: 'Not where people cannot agree on the kinds, and not where several have to work together.',
  mechanisms: ['M1', 'M8'],
  exports: ['router'],
  kind: 'agent',
  seats: {
    by: {
      tools: 'none',
    },
    to: {
      tools: 'any',
    },
    otherwise: {
      tools: 'any',
    },
  },
  params: {
    minConfidence: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'classified',
            least: 0,
            most: 1,
          },
          {
            part: 'by',
          },
        ],
      },
      {
        times: [
          {
            fact: 'routed',
            least: 0,
            most: 1,
          },
          {
            part: 'to',
          },
        ],
      },
      {
        times: [
          {
            fact: 'others',
            least: 0,
            most: 1,
          },
          {
            part: 'otherwise',
          },
        ],
      },
    ],
  },
  bounds: [],
  failures: [
    {
      sign: 'The classifier fails',
      end: 'fallback',
    },
    {
      sign: 'The kinds drift or the rest swells',
      end: 'flagged',
    },
    {
      sign: 'A new route takes traffic from others',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'Each input reaches one handler.',
    'The routes cannot change.',
    'The other path is required by the type.',
    'An unknown label takes the other path and never the nearest.',
    'The classifier has no tools and sees no answer.',
    'A handler refuses what is not its kind.',
    'The decision is recorded even if the handler throws.',
    'Routers are not nested.',
  ],
};
