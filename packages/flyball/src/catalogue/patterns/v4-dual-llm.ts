import type { PatternSpec } from '../types.js';

export const v4: PatternSpec = {
  id: 'V4',
  name: 'Dual LLM',
  category: 'reliability',
  band: 'safety and security',
  purpose:
    'Separates the session that reads hostile text, without tools, from the one that has tools and never reads it.',
  whenNot: 'Not where free text has to pass from one to the other.',
  mechanisms: ['M6', 'M7'],
  exports: ['dualLlm'],
  kind: 'agent',
  seats: {
    reader: {
      tools: 'none',
      apartFrom: ['worker'],
    },
    worker: {
      tools: 'any',
    },
  },
  params: {
    items: {
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            param: 'items',
          },
          {
            part: 'reader',
          },
        ],
      },
      {
        part: 'worker',
      },
    ],
  },
  bounds: ['items'],
  failures: [
    {
      sign: 'The channel gets wider',
      end: 'refused',
    },
    {
      sign: 'An instruction fits the schema',
      end: 'blocked',
    },
    {
      sign: 'The reader fails',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V6'],
      when: {
        fact: 'judge-reads-quarantine',
      },
      why: 'The judge reads hostile text.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['V3'],
      when: 'both',
      why: 'Audit first, or the boundary is a guess.',
      table: 'B5',
      resolvedBy: 'audit-first',
    },
  ],
  clauses: [
    'The reader has no tools, no credentials and no private data, and is new for each batch.',
    'The validator refuses and never repairs.',
    'No field holds free text without a limit.',
    'A mark planted in hostile text is in no request of the worker.',
    'References are resolved only outside the worker.',
    'The worker cannot go around the tracker.',
    'There is no quick way to the worker.',
  ],
};
