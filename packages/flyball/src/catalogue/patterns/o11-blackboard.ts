import type { PatternSpec } from '../types.js';

export const o11: PatternSpec = {
  id: 'O11',
  name: 'Blackboard System',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Lets specialists work through a shared typed board whose content decides who is next.',
  whenNot: 'Not for a handful of specialists or a fixed order.',
  mechanisms: ['M9'],
  exports: ['blackboard'],
  kind: 'agent',
  isLoop: true,
  seats: {
    specialists: {
      tools: 'any',
    },
    control: {
      tools: 'none',
    },
    editor: {
      tools: 'none',
    },
  },
  params: {
    maxCycles: {
      range: [5, 20],
      source: 'catalogue',
    },
    stuckAfter: {
      default: 3,
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'cycles',
            least: 0,
            most: {
              param: 'maxCycles',
            },
          },
          {
            sum: [
              {
                times: [
                  {
                    fact: 'controlled',
                    least: 0,
                    most: 1,
                  },
                  {
                    part: 'control',
                  },
                ],
              },
              {
                part: 'specialists',
              },
            ],
          },
        ],
      },
      {
        part: 'editor',
      },
    ],
  },
  bounds: ['maxCycles', 'stuckAfter'],
  failures: [
    {
      sign: 'Two specialists undo each other',
      end: 'bounded',
    },
    {
      sign: 'Nobody can act',
      end: 'blocked',
    },
    {
      sign: 'The board fills with noise',
      end: 'flagged',
    },
    {
      sign: 'Two write at once',
      end: 'retried',
    },
    {
      sign: 'An entry comes from outside',
      end: 'blocked',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['K10'],
      when: {
        person: 'session-or-long-term-state',
      },
      why: 'The board is for the session, memory for what stays.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Cycles are capped and being stuck is noticed.',
      table: 'B5',
    },
  ],
  clauses: [
    'The board only grows and is audited.',
    'An entry that does not fit, or that its author may not write, is refused.',
    'A specialist reads its part of the board and what called it.',
    'Private notes reach only their author.',
    'Control returns somebody who can act, or stops, and never writes content.',
    'Other evidence leads to another order.',
    'Specialists never call each other.',
    'What ends it, and the reason for each choice, are mandatory.',
  ],
};
