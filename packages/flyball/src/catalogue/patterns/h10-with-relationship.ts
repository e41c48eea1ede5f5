import type { PatternSpec } from '../types.js';

export const h10: PatternSpec = {
  id: 'H10',
  name: 'Relational Memory',
  category: 'humanizer',
  band: 'relational',
  purpose: 'Remembers a working relationship with each user, with consent, guards and real erasure.',
  whenNot: 'Not where erasure is not complete or identity is shared.',
  mechanisms: ['M5', 'M10'],
  exports: ['withRelationship'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    extractor: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    guard: {
      tools: 'none',
    },
  },
  params: {
    maxTokens: {
      default: 1000,
      source: 'catalogue',
    },
    returning: {
      default: 0.2,
      source: 'catalogue',
    },
    lift: {
      default: 0.15,
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
            fact: 'extracted',
            least: 1,
            most: 2,
          },
          {
            part: 'extractor',
          },
        ],
      },
      {
        times: [
          {
            fact: 'guarded',
            least: 0,
            most: 1,
          },
          {
            part: 'guard',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The relationship has no limit',
      end: 'blocked',
    },
    {
      sign: 'Something is left after erasure',
      end: 'failed',
    },
    {
      sign: 'Somebody plants a memory',
      end: 'flagged',
    },
    {
      sign: 'Two people share an account',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'A relationship needs an agent that lasts.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K10', 'K12'],
      when: 'always',
      why: 'The relationship is stored.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K11'],
      when: 'always',
      why: "It is extracted from the session's record.",
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V5'],
      when: 'always',
      why: 'Writing, reading and answering are guarded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Writes and erasures are recorded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'flagged-relationship',
      },
      why: 'A person decides about flagged categories and about depth.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['profile:no-erasure'],
      when: 'always',
      why: 'Without full deletion nothing about a person is kept: stay with K11.',
      table: 'B2',
    },
    {
      kind: 'conflicts',
      to: ['profile:shared-identity'],
      when: 'always',
      why: 'A record belongs to one person.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['*cache'],
      when: 'always',
      why: 'The envelope is first among what differs by user, after what all share.',
      table: 'B4',
      resolvedBy: 'overlay-last',
    },
  ],
  clauses: [
    'Nothing is written before consent.',
    'What was said and what was inferred stand apart.',
    'Clinical, demographic and third-party data are blocked.',
    'The rule about reciprocity is code on every output.',
    'What is said in a session cannot change the envelope.',
    'Forgetting clears records, notes, vectors and summaries at once, and the audit holds facts only.',
    'What a user can inspect is what is stored.',
    'Without a record it works as identity and style alone.',
    'Raw conversations are not kept.',
  ],
};
