import type { PatternSpec } from '../types.js';

export const v5: PatternSpec = {
  id: 'V5',
  name: 'Guardrail Layering',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Checks all four crossings with independent code: text in, calls out, results in, answers out.',
  whenNot: 'Not as output checks alone.',
  mechanisms: ['M7'],
  exports: ['guardrails'],
  kind: 'guard',
  seats: {},
  params: {
    points: {
      default: 4,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Guards refuse too much',
      end: 'flagged',
    },
    {
      sign: 'A guard is not sure',
      end: 'person',
    },
    {
      sign: 'Guards fail together',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['S5'],
      when: 'both',
      why: 'The prompt has the spirit and the code the letter.',
      table: 'B4',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Decisions of guards are recorded.',
      table: 'B5',
    },
  ],
  clauses: [
    'A guard at the input sees the input and who asks, and nothing else.',
    'A guard before a call gets frozen values and nothing to act with.',
    'What every tool says is screened, those of the house included.',
    'Guards at the output alone are refused.',
    'One guard cannot stand at two crossings.',
    'The policy of the guards is a named file.',
    'Every verdict of a guard is in the journal with its rule and evidence.',
    'A guard that throws blocks, or passes in the name of an owner where that was declared.',
  ],
};
