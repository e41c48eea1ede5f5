import type { PatternSpec } from '../types.js';

export const h4: PatternSpec = {
  id: 'H4',
  name: 'Procedural Skill Accumulation',
  category: 'humanizer',
  band: 'learning',
  purpose: 'Turns verified successes into procedures with parameters that later tasks find and fill in.',
  whenNot: 'Not where fewer than a tenth of tasks come back, and not without a way to tell success.',
  mechanisms: ['M9', 'M10'],
  exports: ['accumulateSkills'],
  kind: 'store',
  seats: {
    extractor: {
      tools: 'none',
    },
    judge: {
      tools: 'none',
    },
  },
  params: {
    parameters: {
      range: [2, 5],
      source: 'catalogue',
    },
    reuse: {
      default: 3,
      source: 'catalogue',
    },
  },
  calls: {
    fact: 'asked',
    least: 0,
    most: 5,
  },
  bounds: ['parameters'],
  failures: [
    {
      sign: 'A failure passed for a success',
      end: 'flagged',
    },
    {
      sign: 'A skill is too general',
      end: 'refused',
    },
    {
      sign: 'A skill stops working',
      end: 'flagged',
    },
    {
      sign: 'The wrong skill is taken',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['K10'],
      when: 'always',
      why: 'Skills need a store for procedures.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Skills belong to an agent that lasts.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'A bad skill must not loop.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['R3'],
      when: 'always',
      why: 'When no skill fits, somebody has to plan.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V15'],
      when: {
        fact: 'no-oracle',
      },
      why: 'Without a test a judge has to tell success.',
      table: 'B1',
    },
  ],
  clauses: [
    'An unknown or failed verdict stores nothing.',
    'Branches that failed are not in the procedure.',
    'Literals of the case are not in a skill.',
    'Adapting a skill sets parameters and nothing else.',
    'Who executes a skill cannot write one.',
    'Retrieving gives a confidence.',
    'A skill has provenance, uses and age.',
    'Failure rate retires a skill first, age second.',
  ],
};
