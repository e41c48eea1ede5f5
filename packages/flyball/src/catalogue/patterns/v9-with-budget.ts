import type { PatternSpec } from '../types.js';

export const v9: PatternSpec = {
  id: 'V9',
  name: 'Bounded Execution',
  category: 'reliability',
  band: 'operation',
  purpose: 'Bounds every loop in code by steps, calls, tokens, time and cost, and ends it in order with what there is.',
  whenNot: 'Never left out.',
  mechanisms: ['M2', 'M7'],
  exports: ['withBudget'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
  },
  params: {
    warnAt: {
      default: 0.8,
      source: 'catalogue',
    },
  },
  calls: {
    part: 'agent',
  },
  bounds: ['modelCalls', 'tokens', 'wallMs', 'costUsd', 'toolCalls'],
  failures: [
    {
      sign: 'A cap never trips or trips on good work',
      end: 'flagged',
    },
    {
      sign: 'The checkpoint at the cap fails',
      end: 'flagged',
    },
    {
      sign: 'The provider does not report usage',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['R10'],
      when: 'both',
      why: 'Bound the search where 95 of 100 complete: the median starves it.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'The state is kept before a cap ends the run.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Reaching a bound is recorded.',
      table: 'B5',
    },
    {
      kind: 'tension',
      to: ['V19'],
      when: 'both',
      why: 'Reaching a cap needs somewhere to go.',
      table: 'B5',
      resolvedBy: 'cap-has-destination',
    },
  ],
  clauses: [
    'A budget is in no prompt, and no tool can change it.',
    'The same run under the same budget ends at the same step.',
    'No step begins after a bound.',
    'A bound of time aborts the call in flight.',
    'The checkpoint is written before a bound is returned.',
    'Warnings block nothing.',
    'Each agent can have a budget of its own.',
    'What a part spends shows in what is around it, and the rest goes back.',
    'withBudget cannot be made without a bound.',
    '`validated` does not begin where its retries do not fit the tokens that are left.',
  ],
};
