import type { PatternSpec } from '../types.js';

export const s3: PatternSpec = {
  id: 'S3',
  name: 'Persona',
  category: 'signal',
  band: 'setup framing',
  purpose: 'Says once per session who speaks, in what register and how decisions are made.',
  whenNot: 'Not beside a durable identity, and not for authority that the model does not have.',
  mechanisms: ['M4', 'M5'],
  exports: ['persona'],
  kind: 'framing',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    role: {
      source: 'catalogue',
    },
    traits: {
      range: [1, 3],
      source: 'catalogue',
    },
    version: {
      source: 'ours',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'The role claims a license that the model does not have',
      end: 'refused',
    },
    {
      sign: 'The text grows past three sentences',
      end: 'flagged',
    },
    {
      sign: 'A user tells the agent to be somebody else',
      end: 'flagged',
    },
    {
      sign: 'The role does not help in this domain',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['H1'],
      when: {
        fact: 'returning-users',
      },
      why: 'Sessions that belong together need one identity.',
      table: 'B3',
    },
    {
      kind: 'upgrades-to',
      to: ['H7'],
      when: {
        allOf: [
          {
            fact: 'returning-users',
          },
          {
            present: 'H1',
          },
        ],
      },
      why: 'Different users who return want different styles; identity comes first.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['S5'],
      when: 'both',
      why: 'Say that constraints outrank the persona.',
      table: 'B4',
      resolvedBy: 'constraints-rank-first',
    },
    {
      kind: 'tension',
      to: ['S9'],
      when: 'both',
      why: 'Principles outrank the persona.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['S5'],
      when: {
        fact: 'credentialed-persona',
      },
      why: 'A role with a license says what it cannot vouch for.',
      table: 'B5',
    },
  ],
  clauses: [
    'The identity is the first segment.',
    'Its text stands once in each request and never in a turn of the user.',
    'The setup has the same bytes on every turn.',
    'A licensed or regulated role without constraints is refused.',
    'Where there are constraints or principles, one line ranks them above the role.',
    'It is refused beside a durable identity on the same agent.',
    'The roles of several agents differ from each other.',
    'Other patterns refer to the role and never define it again.',
    'Every output carries the version of the role.',
  ],
};
