import type { PatternSpec } from '../types.js';

export const o15: PatternSpec = {
  id: 'O15',
  name: 'Agent Handoff',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Moves a live conversation to another agent of the same system with a typed package.',
  whenNot: 'Not where the choice is made at the entrance, and not where the result comes back.',
  mechanisms: ['M6', 'M10'],
  exports: ['handoffTool', 'relay'],
  kind: 'tool',
  seats: {
    agents: {
      tools: 'any',
    },
    summarizer: {
      tools: 'none',
    },
  },
  params: {
    maxHandoffs: {
      source: 'catalogue',
    },
    share: {
      default: 0.1,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agents',
      },
      {
        times: [
          {
            fact: 'handoffs',
            least: 0,
            most: {
              param: 'maxHandoffs',
            },
          },
          {
            sum: [
              {
                part: 'agents',
              },
              {
                times: [
                  {
                    fact: 'summarized',
                    least: 0,
                    most: 1,
                  },
                  {
                    part: 'summarizer',
                  },
                ],
              },
            ],
          },
        ],
      },
    ],
  },
  bounds: ['maxHandoffs'],
  failures: [
    {
      sign: 'Two agents pass it back and forth',
      end: 'person',
    },
    {
      sign: 'A field is missing',
      end: 'retried',
    },
    {
      sign: 'The receiver fails',
      end: 'fallback',
    },
    {
      sign: 'Two agents reply',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['I6'],
      when: {
        fact: 'executor-elsewhere',
      },
      why: 'Another system needs a protocol.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['I6'],
      when: {
        fact: 'executor-elsewhere',
      },
      why: 'Within one system hand over, across systems delegate.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'The package is a stored state.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'The state is explicit and complete.',
      table: 'B5',
    },
  ],
  clauses: [
    'There is always one driver.',
    'A turn of the user gets one reply.',
    "The receiver reads the package, and neither the sender's setup nor its whole conversation.",
    'A package that does not fit or is too large is refused.',
    'Open tool calls are listed or closed first.',
    'What came from the user passes the injection shield.',
    'Secrets are removed.',
    'The journal has sender, receiver, digest and trace.',
    'There is no way back unless it is declared.',
    'A receiver that asks for what it was given is flagged.',
  ],
};
