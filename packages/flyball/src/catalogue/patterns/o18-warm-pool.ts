import type { PatternSpec } from '../types.js';

export const o18: PatternSpec = {
  id: 'O18',
  name: 'Cache-Warmed Worker Pool',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: "Warms one shared prompt in the provider's cache and fans out while it lasts.",
  whenNot: 'Not for small prompts or few workers, and not where the provider does not cache.',
  mechanisms: ['M5'],
  exports: ['warmPool'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'none',
    },
  },
  params: {
    ttlMs: {
      default: 300000,
      source: 'catalogue',
    },
    minTokens: {
      default: 1024,
      source: 'catalogue',
    },
    width: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'warmed',
            least: 0,
            most: 1,
          },
          {
            part: 'worker',
          },
        ],
      },
      {
        times: [
          {
            param: 'width',
          },
          {
            part: 'worker',
          },
        ],
      },
    ],
  },
  bounds: ['width', 'ttlMs'],
  failures: [
    {
      sign: 'The prompt is too small',
      end: 'flagged',
    },
    {
      sign: 'The cache expires',
      end: 'retried',
    },
    {
      sign: 'There is no cache',
      end: 'degraded',
    },
    {
      sign: 'The prefix differs',
      end: 'failed',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['O17'],
      when: 'always',
      why: 'Workers share the prefix and nothing else.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['O4'],
      when: 'always',
      why: 'They are started together, while the prefix is cached.',
      table: 'B5',
    },
  ],
  clauses: [
    'Warm-up and workers have one prefix hash.',
    'There is a mark, and all that varies stands after it.',
    'No worker begins before the warm-up ends.',
    'The last worker starts within the lifetime of the cache.',
    "The warm-up uses the workers' model.",
    'Times, ids and unordered schemas in the prefix are refused.',
    'Results are the same without a cache.',
    'Workers share nothing else.',
  ],
};
