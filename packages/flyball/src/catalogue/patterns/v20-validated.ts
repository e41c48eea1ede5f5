import type { PatternSpec } from '../types.js';

export const v20: PatternSpec = {
  id: 'V20',
  name: 'Schema Validation',
  category: 'reliability',
  band: 'operation',
  purpose:
    'Lets nothing out that does not fit a schema and its invariants, and repairs it by a bounded number of retries.',
  whenNot: 'Not as a cure for a failure rate above a tenth: repair the prompt.',
  mechanisms: ['M7'],
  exports: ['validated'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    reviser: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    otherwise: {
      tools: 'any',
    },
  },
  params: {
    maxRetries: {
      default: 2,
      range: [1, 3],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'agents',
            least: 0,
            most: {
              sum: [
                1,
                {
                  param: 'maxRetries',
                },
              ],
            },
          },
          {
            part: 'agent',
          },
        ],
      },
      {
        times: [
          {
            fact: 'revisions',
            least: 0,
            most: {
              param: 'maxRetries',
            },
          },
          {
            part: 'reviser',
          },
        ],
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
  bounds: ['maxRetries'],
  failures: [
    {
      sign: 'The same wrong output comes twice',
      end: 'fallback',
    },
    {
      sign: 'Too many retries',
      end: 'flagged',
    },
    {
      sign: 'There is no time for retries',
      end: 'person',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Every retry makes the prompt longer, and the cap has to cover the worst case.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['V9'],
      when: 'both',
      why: 'The cap covers the prompt of every retry.',
      table: 'B4',
      resolvedBy: 'retries-fit-budget',
    },
  ],
  clauses: [
    'The schema that checks is the one that the agent is shown.',
    'What is wrong with a reply reaches the next one word for word.',
    'Nothing is converted or picked out of prose.',
    'A repair reads the task, the bad answer, and the problem last.',
    'A repair has a session of its own.',
    'There are at most 1 + maxRetries answers.',
    'There is no `validated` without another path.',
    'Null stands where the schema lets it.',
    'Every answer that did not fit is in the journal.',
    'The result is a value of the schema or an end that says why.',
  ],
};
