import type { PatternSpec } from '../types.js';

export const v2: PatternSpec = {
  id: 'V2',
  name: 'Human-on-the-Loop',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Lets reversible actions run while a person watches and can pause, redirect or stop.',
  whenNot: 'Not for irreversible actions.',
  mechanisms: ['M7'],
  exports: ['supervised'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    monitor: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'required',
    },
  },
  params: {
    drillDays: {
      default: 30,
      source: 'ours',
    },
  },
  calls: {
    part: 'agent',
  },
  bounds: ['scope'],
  failures: [
    {
      sign: 'There are too many alarms',
      end: 'flagged',
    },
    {
      sign: 'The monitor is silent',
      end: 'flagged',
    },
    {
      sign: 'The scope grows',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'It is interrupted where it is safe.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'There would be nothing to watch.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V16'],
      when: 'always',
      why: 'Nobody acts alone without a measured baseline.',
      table: 'B5',
    },
  ],
  clauses: [
    'A supervised run never waits for its monitor.',
    'An action outside the scope is denied although its tool is loaded.',
    'The scope cannot grow during a run.',
    'A scope with something irreversible is refused when it is made.',
    'A scope without a baseline that bears it out is refused when it is made.',
    'A pause never lands inside an action.',
    'A pause survives the end of the process.',
    'Budgets end a supervised run whatever its monitor says.',
  ],
};
