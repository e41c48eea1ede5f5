import type { PatternSpec } from '../types.js';

export const h5: PatternSpec = {
  id: 'H5',
  name: 'Constitutional Self-Alignment',
  category: 'humanizer',
  band: 'self-knowledge',
  purpose: 'Lets an agent propose changes to its principles that only a named person can adopt.',
  whenNot: 'Not without reviewers, and not for rules that can be listed.',
  mechanisms: ['M10'],
  exports: ['constitution'],
  kind: 'store',
  isLoop: true,
  seats: {
    proposer: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    test: {
      tools: 'none',
      apartFrom: ['proposer'],
    },
  },
  params: {
    principles: {
      default: 20,
      source: 'catalogue',
    },
    quarantineDays: {
      default: 30,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'proposer',
      },
      {
        part: 'test',
      },
    ],
  },
  bounds: ['principles'],
  failures: [
    {
      sign: 'A change goes around the person',
      end: 'refused',
    },
    {
      sign: 'People approve without reading',
      end: 'flagged',
    },
    {
      sign: 'Proposals serve the agent',
      end: 'blocked',
    },
    {
      sign: 'There are too many principles',
      end: 'blocked',
    },
    {
      sign: 'There is no reviewer',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V1'],
      when: 'always',
      why: 'No principle changes without a person.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Identity is outside of what may change.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['S9'],
      when: 'always',
      why: 'It changes a constitution, so there has to be one.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V7'],
      when: 'always',
      why: 'The policy is the limit of every proposal.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'Going back is one step.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Proposals and verdicts are recorded.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['V7'],
      when: {
        fact: 'proposal-against-rule',
      },
      why: 'What contradicts a rule is refused before a person sees it.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['V7'],
      when: 'both',
      why: 'Principles change only within what the policy permits.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'It is bounded within a session and across them.',
      table: 'B5',
    },
  ],
  clauses: [
    "Adopting without a person's verdict does not compile and throws.",
    'A verdict signed by a model is refused.',
    'Proposals that touch policy, identity or safety never reach the person.',
    'A twenty-first principle needs one to go.',
    'The version before is kept first.',
    'What is provisional gets a verdict in time.',
    'Changes take effect in the next session.',
    'The share of approvals is reported.',
  ],
};
