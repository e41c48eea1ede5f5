import type { PatternSpec } from '../types.js';

export const h6: PatternSpec = {
  id: 'H6',
  name: 'Continuous Inner Monologue',
  category: 'humanizer',
  band: 'deliberation',
  purpose: 'Thinks between turns and keeps a short narrative that the answering session reads.',
  whenNot: 'Not where gaps are short, and not within one turn.',
  mechanisms: ['M6', 'M10'],
  exports: ['innerMonologue'],
  kind: 'agent',
  seats: {
    thinker: {
      tools: 'none',
      apartFrom: ['talker'],
    },
    talker: {
      tools: 'any',
    },
  },
  params: {
    maxThoughts: {
      source: 'catalogue',
    },
    maxTokens: {
      default: 500,
      source: 'catalogue',
    },
    idleMs: {
      default: 30000,
      source: 'catalogue',
    },
    share: {
      default: 0.3,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'talker',
      },
      {
        times: [
          {
            times: [
              {
                fact: 'thoughts',
                least: 0,
                most: {
                  param: 'maxThoughts',
                },
              },
              2,
            ],
          },
          {
            part: 'thinker',
          },
        ],
      },
      {
        times: [
          {
            fact: 'ended',
            least: 0,
            most: 1,
          },
          {
            part: 'thinker',
          },
        ],
      },
    ],
  },
  bounds: ['maxThoughts', 'maxTokens'],
  failures: [
    {
      sign: 'Thoughts contradict each other',
      end: 'flagged',
    },
    {
      sign: 'Nobody reads the conclusions',
      end: 'flagged',
    },
    {
      sign: 'It costs too much',
      end: 'bounded',
    },
    {
      sign: 'A thought acts',
      end: 'blocked',
    },
    {
      sign: 'Two write at once',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Thoughts may not redefine the agent.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K11', 'K12'],
      when: 'always',
      why: 'Thinker and talker meet in a store and nowhere else.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Thinking is capped per session and per day.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Both sessions are on one timeline.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1', 'V2'],
      when: {
        fact: 'thinker-acts',
      },
      why: 'A thought does not act by itself.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['H2'],
      when: 'both',
      why: 'Thinking between turns already distills: skip the second distiller.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['V1'],
      when: {
        fact: 'thinker-proposes',
      },
      why: 'Insights by default; actions are approved.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['R16'],
      when: 'both',
      why: 'Within a turn R16, between turns H6: they may be together.',
      table: 'B4',
    },
  ],
  clauses: [
    'A turn is answered even when the thinker hangs.',
    'The thinker has no tools and no way to the user.',
    'What it proposes is done only after approval.',
    'The narrative is replaced and never exceeds its limit.',
    'The setups differ.',
    'The session that answers writes no thoughts.',
    'Neither calls the other.',
    'The thinker may change goals and never the identity.',
    'Both are on one timeline.',
  ],
};
