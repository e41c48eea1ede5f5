import type { PatternSpec } from '../types.js';

export const v12: PatternSpec = {
  id: 'V12',
  name: 'Stateless Reducer',
  category: 'reliability',
  band: 'operation',
  purpose: 'Makes an agent a pure function of explicit state, so that it can be replayed, repeated and handed over.',
  whenNot: 'Never left out.',
  mechanisms: ['M3'],
  exports: ['conformance'],
  kind: 'beside',
  seats: {
    agent: {
      tools: 'any',
    },
  },
  params: {},
  calls: {
    part: 'agent',
  },
  bounds: [],
  failures: [
    {
      sign: 'A cache slips in later',
      end: 'failed',
    },
    {
      sign: 'The state grows',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['V10'],
      when: 'both',
      why: 'The function is pure, and the state is kept outside it.',
      table: 'B4',
      resolvedBy: 'host-keeps-state',
    },
  ],
  clauses: [
    'Two runs in fresh processes with a recorded model give the same bytes.',
    'Its input cannot be changed.',
    'Agent modules keep nothing between runs.',
    'State survives JSON and holds ids, never handles.',
    'Saving is all or nothing.',
    'Loading writes nothing.',
    'The clock and random numbers fail the conformance test.',
    'Results that are used later are in the state.',
    'Resources are released when it throws.',
    'Runs from one state do not affect each other.',
  ],
};
