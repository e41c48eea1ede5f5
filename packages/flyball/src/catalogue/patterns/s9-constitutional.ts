import type { PatternSpec } from '../types.js';

export const s9: PatternSpec = {
  id: 'S9',
  name: 'Constitutional Framing',
  category: 'signal',
  band: 'setup framing',
  purpose: 'Judges each draft against written principles and revises it, so that values can be read and edited.',
  whenNot: 'Not as the only safeguard where harm is possible, and not for rules that code can check.',
  mechanisms: ['M7'],
  exports: ['constitutional'],
  kind: 'wrapper',
  seats: {
    critic: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    reviser: {
      tools: 'none',
      apartFrom: ['critic'],
    },
  },
  params: {
    principles: {
      range: [5, 10],
      source: 'catalogue',
    },
    maxPasses: {
      default: 1,
      range: [1, 2],
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
            fact: 'passes',
            least: 1,
            most: {
              param: 'maxPasses',
            },
          },
          {
            part: 'critic',
          },
        ],
      },
      {
        times: [
          {
            fact: 'revisions',
            least: 0,
            most: {
              param: 'maxPasses',
            },
          },
          {
            part: 'reviser',
          },
        ],
      },
    ],
  },
  bounds: ['maxPasses'],
  failures: [
    {
      sign: 'Every principle passes with the same empty reason',
      end: 'flagged',
    },
    {
      sign: 'The critique cannot be read',
      end: 'degraded',
    },
    {
      sign: 'Two principles conflict',
      end: 'flagged',
    },
    {
      sign: 'There are more than ten principles',
      end: 'refused',
    },
    {
      sign: 'The critic is talked round',
      end: 'blocked',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['H5'],
      when: {
        measured: 'value-gap-rate',
        above: 0.05,
      },
      why: 'Principles may change, under review.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['V7'],
      when: 'both',
      why: 'Judgment belongs in principles, rules that can be listed in the policy; where harm is possible both are needed.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['R7'],
      when: 'both',
      why: 'Say which critic wins.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V7'],
      when: {
        profile: 'safety-critical',
      },
      why: 'Principles alone do not keep anybody safe.',
      table: 'B5',
    },
  ],
  clauses: [
    'Drafter, critic and reviser are three sessions.',
    'The critic reads the principles, the question and the draft, and nothing of how the draft came about.',
    'Every principle gets exactly one verdict.',
    'No word of the critic reaches the user as an answer.',
    'The reviser reads draft, critique and principles, and a number or name that is in neither draft nor input is flagged.',
    'All three read one version, which the answer names.',
    'The written policy is checked after the last revision and wins.',
    'In a regulated system it is refused without an audit sink.',
  ],
};
