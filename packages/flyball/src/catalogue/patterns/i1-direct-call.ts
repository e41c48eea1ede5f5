import type { PatternSpec } from '../types.js';

export const i1: PatternSpec = {
  id: 'I1',
  name: 'Direct API Call',
  category: 'integration',
  band: 'in the agent',
  purpose: 'Calls a service whose endpoint and parameters code has decided, with no model in the path.',
  whenNot: 'Not where language decides what to call.',
  mechanisms: ['M7'],
  exports: ['directCall'],
  kind: 'agent',
  seats: {},
  params: {
    maxTries: {
      default: 3,
      source: 'ours',
    },
  },
  calls: 0,
  bounds: ['maxTries'],
  failures: [
    {
      sign: 'The input does not fit',
      end: 'refused',
    },
    {
      sign: 'The service fails for a moment',
      end: 'retried',
    },
    {
      sign: 'The service refuses',
      end: 'failed',
    },
    {
      sign: 'The breaker is open',
      end: 'failed',
    },
    {
      sign: 'The contract changed',
      end: 'refused',
    },
    {
      sign: 'What decided the call was sampled',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Retries are bounded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Every attempt is recorded.',
      table: 'B1',
    },
    {
      kind: 'upgrades-to',
      to: ['I2'],
      when: {
        person: 'choice-needs-language',
      },
      why: 'The direct call stays underneath.',
      table: 'B3',
    },
  ],
  clauses: [
    'No model is asked in a direct call.',
    'The same input makes the same request, byte for byte.',
    'Input of our own code is checked too.',
    'A schema of plain text is refused: nothing is picked out of prose.',
    '`send` does not decide by content.',
    'Every retry and every change of the circuit is in the journal.',
    'No credential is in the journal or the trace.',
    'The result is data without headers.',
  ],
};
