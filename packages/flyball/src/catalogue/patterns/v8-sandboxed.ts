import type { PatternSpec } from '../types.js';

export const v8: PatternSpec = {
  id: 'V8',
  name: 'Tool Sandboxing',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Runs a tool or generated code with nothing but what it was granted, enforced from outside.',
  whenNot: 'Not needed for pure functions of this process.',
  mechanisms: ['M7'],
  exports: ['sandboxed'],
  kind: 'tool',
  seats: {},
  params: {
    wallMs: {
      default: 30000,
      source: 'catalogue',
    },
    cpuS: {
      default: 5,
      source: 'catalogue',
    },
    memoryMb: {
      default: 512,
      source: 'catalogue',
    },
    network: {
      default: 'deny',
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['wallMs', 'cpuS', 'memoryMb'],
  failures: [
    {
      sign: 'There is no sandbox',
      end: 'refused',
    },
    {
      sign: 'A grant allows any host',
      end: 'refused',
    },
    {
      sign: 'Code would run unconfined',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['V3'],
      when: 'both',
      why: 'Audit first.',
      table: 'B5',
      resolvedBy: 'audit-first',
    },
  ],
  clauses: [
    'What is not granted is not there, and a sandbox that does not confine is refused.',
    'A program cannot enlarge its grant or stop who watches it.',
    'Nothing of one call is left for the next.',
    'A program is ended hard at its limit, and the failure names it.',
    'Output is checked by a schema, limited in size and counts as text from outside.',
    'Failures and kills carry the grant and what was used.',
    'A program inherits no variable and no network of the host.',
  ],
};
