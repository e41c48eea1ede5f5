import type { PatternSpec } from '../types.js';

export const r14: PatternSpec = {
  id: 'R14',
  name: 'Program of Thoughts',
  category: 'reasoning',
  band: 'tool loops',
  purpose: 'Has the model write a short program and takes the printed value as the answer.',
  whenNot: 'Not for questions without a computation, and not without a sandbox.',
  mechanisms: ['M7'],
  exports: ['programOfThoughts'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'none',
    },
    answerer: {
      tools: 'none',
      apartFrom: ['worker'],
    },
  },
  params: {
    wallMs: {
      default: 5000,
      source: 'catalogue',
    },
    retries: {
      default: 1,
      source: 'catalogue',
    },
    samples: {
      range: [5, 20],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'written',
            least: 1,
            most: {
              sum: [
                1,
                {
                  param: 'retries',
                },
              ],
            },
          },
          {
            part: 'worker',
          },
        ],
      },
      {
        times: [
          {
            fact: 'worded',
            least: 0,
            most: 1,
          },
          {
            part: 'answerer',
          },
        ],
      },
    ],
  },
  bounds: ['retries', 'wallMs'],
  failures: [
    {
      sign: 'The program answers another question',
      end: 'flagged',
    },
    {
      sign: 'A library does not exist',
      end: 'retried',
    },
    {
      sign: 'Nothing is printed',
      end: 'failed',
    },
    {
      sign: 'The program takes too long',
      end: 'failed',
    },
    {
      sign: 'The wording changes the number',
      end: 'degraded',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V8'],
      when: 'always',
      why: 'Generated programs run in a sandbox.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V11'],
      when: 'always',
      why: 'Errors of programs are long and repeat.',
      table: 'B5',
    },
  ],
  clauses: [
    'Without a sandbox it is refused.',
    'A rejected program is never run.',
    'There is at most one retry.',
    'There are no tools and no loop over observations.',
    'Every run has a new interpreter.',
    'Network, files, processes, evaluation and the clock are out of reach.',
    'The value comes from the output even where the prose disagrees.',
    'The session that words the answer is another session and repeats the value exactly.',
    'Money is computed with decimals or fractions.',
  ],
};
