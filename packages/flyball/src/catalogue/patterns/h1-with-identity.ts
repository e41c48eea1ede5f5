import type { PatternSpec } from '../types.js';

export const h1: PatternSpec = {
  id: 'H1',
  name: 'Identity Persistence',
  category: 'humanizer',
  band: 'identity',
  purpose:
    'Puts one durable description of the agent first in every context, so that it is the same agent in every session.',
  whenNot: 'Not for one-off tasks or a persona per tenant.',
  mechanisms: ['M4', 'M5', 'M10'],
  exports: ['withIdentity'],
  kind: 'wrapper',
  seats: {
    updater: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    maxTokens: {
      default: 500,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The record is missing',
      end: 'refused',
    },
    {
      sign: 'Somebody tries to override it',
      end: 'blocked',
    },
    {
      sign: 'It drifts',
      end: 'flagged',
    },
    {
      sign: 'It grows',
      end: 'flagged',
    },
    {
      sign: 'It is wrong',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V6'],
      when: 'always',
      why: 'A changed identity is a changed agent.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['S3'],
      when: 'agent',
      why: 'A durable identity includes the persona of a session.',
      table: 'B2',
    },
    {
      kind: 'upgrades-to',
      to: ['H9'],
      when: {
        measured: 'capability-spread',
        above: 20,
      },
      why: 'The identity keeps one line, the record has the rest.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['H7'],
      when: 'both',
      why: 'List what never changes first: style never writes it.',
      table: 'B4',
      resolvedBy: 'invariants-listed',
    },
    {
      kind: 'tension',
      to: ['H9'],
      when: 'both',
      why: 'The record informs reviewed changes of the identity.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['*cache'],
      when: 'always',
      why: 'An identity alone is below the smallest cached prefix: put it with other stable text.',
      table: 'B4',
    },
  ],
  clauses: [
    'It is the first system segment of every request.',
    'A change during a session fails.',
    'A change needs a signed verdict.',
    'Each version has author, time and reason.',
    'Style, history and facts about users do not fit its schema.',
    'What is too long is condensed without losing a value or commitment, and never cut.',
    'There is more than one copy.',
  ],
};
