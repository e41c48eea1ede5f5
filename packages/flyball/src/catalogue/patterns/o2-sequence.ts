import type { PatternSpec } from '../types.js';

export const o2: PatternSpec = {
  id: 'O2',
  name: 'Prompt Chaining',
  category: 'orchestration',
  band: 'fixed workflows',
  purpose: 'Runs a fixed sequence of separate calls with typed, checked boundaries between them.',
  whenNot: 'Not where a model has to choose the next step.',
  mechanisms: ['M6', 'M7'],
  exports: ['sequence'],
  kind: 'agent',
  seats: {
    steps: {
      tools: 'any',
    },
    gates: {
      tools: 'none',
    },
  },
  params: {
    steps: {
      range: [2, 7],
      source: 'catalogue',
    },
    maxRetries: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'steps',
      },
      {
        times: [
          {
            fact: 'retries',
            least: 0,
            most: {
              param: 'maxRetries',
            },
          },
          {
            part: 'steps',
          },
        ],
      },
      {
        times: [
          {
            fact: 'gated',
            least: 0,
            most: {
              param: 'steps',
            },
          },
          {
            part: 'gates',
          },
        ],
      },
    ],
  },
  several: { steps: 'steps' },
  bounds: ['maxRetries'],
  failures: [
    {
      sign: 'A step returns what cannot be read',
      end: 'retried',
    },
    {
      sign: 'Two neighbors no longer fit',
      end: 'refused',
    },
    {
      sign: 'Nothing happens at any boundary',
      end: 'flagged',
    },
    {
      sign: 'There are more than seven steps',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['O6'],
      when: {
        person: 'decomposition-unknown',
      },
      why: 'Start with the chain.',
      table: 'B3',
    },
    {
      kind: 'requires',
      to: ['S6'],
      when: 'always',
      why: "Each step's output has a shape.",
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V20'],
      when: 'always',
      why: 'Every hand-over is checked.',
      table: 'B5',
    },
  ],
  clauses: [
    'The steps are the same for every input.',
    'A field that a step does not declare never reaches it.',
    'Text that was not parsed crosses no boundary.',
    'A gate that fails returns what it refused.',
    'Validators change form and never meaning.',
    'No model chooses a step.',
  ],
};
