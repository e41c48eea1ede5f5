import type { PatternSpec } from '../types.js';

export const h7: PatternSpec = {
  id: 'H7',
  name: 'Adaptive Persona',
  category: 'humanizer',
  band: 'identity',
  purpose: 'Learns how each user wants to be addressed and applies it without touching identity.',
  whenNot: 'Not where the register is regulated, and not before the invariants are listed.',
  mechanisms: ['M5', 'M10'],
  exports: ['withStyle'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    extractor: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    maxTokens: {
      default: 100,
      range: [20, 50],
      source: 'catalogue',
    },
    after: {
      default: 5,
      range: [5, 10],
      source: 'catalogue',
    },
    halfLifeDays: {
      default: 30,
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
            fact: 'updated',
            least: 0,
            most: 2,
          },
          {
            part: 'extractor',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'Style leaks into identity',
      end: 'blocked',
    },
    {
      sign: 'It follows one remark too far',
      end: 'flagged',
    },
    {
      sign: 'It is out of date',
      end: 'flagged',
    },
    {
      sign: "It is another user's",
      end: 'refused',
    },
    {
      sign: 'The register is regulated',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Without an identity the agent becomes what each user wants.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K10', 'K12'],
      when: 'always',
      why: "Each user's style is stored.",
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['profile:regulated-register'],
      when: 'always',
      why: 'A regulated register is not adapted: use S3 with S5 and V7, and route with O3.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['S2'],
      when: 'both',
      why: "Examples match the user's style, or there are none.",
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['H10'],
      when: 'both',
      why: 'One knows how and the other what: neither takes over the other.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['*cache'],
      when: 'always',
      why: 'What differs by user comes after what all share.',
      table: 'B4',
      resolvedBy: 'overlay-last',
    },
  ],
  clauses: [
    'A change that names anything but style is dropped and recorded.',
    'No free text survives parsing.',
    'Nothing is written per turn.',
    'Depth rises only on several signs.',
    'The overlay follows everything that is shared.',
    "Reads are by user, and reading another's fails.",
    'Reset restores the defaults.',
    'The identity has the same bytes.',
    'It changes how and never what.',
  ],
};
