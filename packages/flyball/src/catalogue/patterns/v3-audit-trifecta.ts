import type { PatternSpec } from '../types.js';

export const v3: PatternSpec = {
  id: 'V3',
  name: 'Rule of Two',
  category: 'reliability',
  band: 'safety and security',
  purpose:
    'Finds who holds private data, outside text and a way out at once, and refuses it until one of them is removed.',
  whenNot: 'Not as a mitigation: it only finds.',
  mechanisms: ['M7'],
  exports: ['auditTrifecta'],
  kind: 'beside',
  seats: {},
  params: {
    legs: {
      default: 3,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'The audit is out of date',
      end: 'refused',
    },
    {
      sign: 'Two safe agents make an unsafe one',
      end: 'flagged',
    },
    {
      sign: 'Everything is called untrusted',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V4', 'V6', 'V8'],
      when: {
        fact: 'trifecta',
      },
      why: 'The audit only finds: something has to take one of the three away.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V13'],
      when: {
        fact: 'runtime-tools',
      },
      why: 'Tools that come at run time widen what was audited.',
      table: 'B5',
    },
  ],
  clauses: [
    'What each tool may do is declared, and a tool that says nothing fails the audit.',
    'A mitigation names the boundary, both sessions and the kind of content.',
    'The matrix cannot change.',
    'The audit runs on what is there after loading and after handing over.',
    'A change of tool, server, source, helper or model makes the record invalid.',
    'The monitor does not rely on the record alone.',
  ],
};
