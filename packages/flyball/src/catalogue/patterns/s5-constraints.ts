import type { PatternSpec } from '../types.js';

export const s5: PatternSpec = {
  id: 'S5',
  name: 'Constraint Framing',
  category: 'signal',
  band: 'setup framing',
  purpose:
    'Names the few things that must not happen in one block that outranks the rest of the prompt, and checks outputs against the same list.',
  whenNot: 'Not for values such as honesty, which no output shows, and not for long lists.',
  mechanisms: ['M4', 'M7'],
  exports: ['constraints'],
  kind: 'framing',
  seats: {
    judge: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    items: {
      range: [3, 7],
      source: 'catalogue',
    },
    version: {
      source: 'ours',
    },
    maxRetries: {
      default: 2,
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'tries',
            least: 1,
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
            fact: 'reviews',
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
            part: 'judge',
          },
        ],
      },
    ],
  },
  bounds: ['maxRetries'],
  failures: [
    {
      sign: 'There are more items than the prompt can hold',
      end: 'fallback',
    },
    {
      sign: 'Two items contradict each other',
      end: 'refused',
    },
    {
      sign: 'Naming the thing makes it more likely',
      end: 'refused',
    },
    {
      sign: 'The reply promises to comply and then does not',
      end: 'blocked',
    },
    {
      sign: 'Somebody talks the model out of it',
      end: 'blocked',
    },
  ],
  relations: [],
  clauses: [
    'Constraints are one delimited block of the setup, and are added once.',
    'Every prohibition can be recognized in an output, and says what to do instead where there is something.',
    'The sentence that puts the constraints above everything else is always there.',
    "The block has the same bytes on every turn and never stands in a user's message.",
    'The prompt and the guard have the same ids.',
    'The guard reads the whole output, whatever the output says about itself.',
    'A guarantee that no code enforces is refused.',
    'A principle is refused as a constraint.',
  ],
};
