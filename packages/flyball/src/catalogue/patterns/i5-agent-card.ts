import type { PatternSpec } from '../types.js';

export const i5: PatternSpec = {
  id: 'I5',
  name: 'Agent Card',
  category: 'integration',
  band: 'between agents',
  purpose: 'Says at a known address what an agent can do, so that others can find and check it.',
  whenNot: 'Not within one deployment.',
  mechanisms: ['M10'],
  exports: ['agentCard', 'discover'],
  kind: 'beside',
  seats: {},
  params: {
    maxAgeS: {
      default: 300,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['maxAgeS'],
  failures: [
    {
      sign: 'The card is not valid',
      end: 'fallback',
    },
    {
      sign: 'The card is out of date',
      end: 'retried',
    },
    {
      sign: "Somebody else's card is served",
      end: 'blocked',
    },
    {
      sign: 'A skill says too little',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'It has to be known who claimed what, and when.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: {
        fact: 'card-text-to-model',
      },
      why: 'A card is text from outside.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['I3'],
      when: 'both',
      why: 'A card describes skills, a server tools.',
      table: 'B4',
    },
  ],
  clauses: [
    'A newly registered agent is in the next card.',
    'Each skill has id, description, modes, schemas and an example.',
    'A card is accepted only if its version is spoken and the skill takes what will be sent.',
    'A card grants nothing.',
    'Discovery needs no registry.',
    'Models and tools are not in a card.',
    'The prose of a card is screened before a model reads it.',
    'A test fails when the card and what is served differ.',
  ],
};
