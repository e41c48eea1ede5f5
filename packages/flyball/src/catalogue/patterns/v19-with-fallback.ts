import type { PatternSpec } from '../types.js';

export const v19: PatternSpec = {
  id: 'V19',
  name: 'Fallback / Graceful Degradation',
  category: 'reliability',
  band: 'operation',
  purpose: 'Sends each kind of failure to a declared, cheaper, different path and says so.',
  whenNot: 'Not for fewer than three kinds of failure, and not as another try with the same model.',
  mechanisms: ['M8'],
  exports: ['withFallback'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    otherwise: {
      tools: 'any',
      apartFrom: ['agent'],
    },
  },
  params: {
    maxDepth: {
      default: 2,
      source: 'catalogue',
    },
    alarm: {
      default: 0.05,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        times: [
          {
            fact: 'fallbacks',
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
  bounds: ['maxDepth'],
  failures: [
    {
      sign: 'Nobody notices that it got worse',
      end: 'flagged',
    },
    {
      sign: 'It hides a bug',
      end: 'flagged',
    },
    {
      sign: 'The cheaper model does not know enough',
      end: 'degraded',
    },
  ],
  relations: [],
  clauses: [
    'Every kind of failure has a path.',
    'An unknown failure goes to a template and raises an alarm, never back.',
    'No fallback can reach the first path.',
    'Every answer that did not come from the first path says so and is counted.',
    'A fallback that fails goes to a template or a person.',
    'A stale cache is not served.',
    'Another try with the same model is refused.',
    'Where a wrong answer is worse than none only a person may take over.',
  ],
};
