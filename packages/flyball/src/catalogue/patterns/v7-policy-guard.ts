import type { PatternSpec } from '../types.js';

export const v7: PatternSpec = {
  id: 'V7',
  name: 'AgentSpec / Declarative Governance',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Keeps hard rules in a versioned file that a deterministic engine applies to every action.',
  whenNot: 'Not for judgment, and not needed below about twenty rules.',
  mechanisms: ['M7'],
  exports: ['policyGuard'],
  kind: 'guard',
  seats: {},
  params: {
    rules: {
      default: 20,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Obligations chase each other',
      end: 'bounded',
    },
    {
      sign: 'No rule covers an action',
      end: 'blocked',
    },
    {
      sign: 'Waivers pile up',
      end: 'flagged',
    },
    {
      sign: 'The principles drift away from the rules',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['O6'],
      when: {
        fact: 'several-roles',
      },
      why: 'Each role has its own policy.',
      table: 'B4',
      resolvedBy: 'policy-per-role',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Decisions of the policy are recorded.',
      table: 'B5',
    },
  ],
  clauses: [
    'The same action under the same policy gets the same decision.',
    'No word of a policy reaches a model.',
    'Deciding makes no model call and has no model to ask.',
    'Tool calls, steps, state changes, memory writes and messages all pass the policy.',
    'A prohibition wins unless a valid waiver lifts it.',
    'Waivers that have expired or are incomplete are refused when the policy is read.',
    'Every decision is in the journal with its rule and the version of the policy.',
    'A policy without a reviewer is not read.',
  ],
};
