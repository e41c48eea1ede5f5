import type { PatternSpec } from '../types.js';

export const s2: PatternSpec = {
  id: 'S2',
  name: 'Few-Shot',
  category: 'signal',
  band: 'demonstration',
  purpose: 'Shows a few worked examples, so that format, style and the line between cases are clear without rules.',
  whenNot:
    'Not where only structure matters and the provider enforces a schema, and not for large stable sets, where fine-tuning pays.',
  mechanisms: ['M1', 'M5', 'M12'],
  exports: ['fewShot'],
  kind: 'framing',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    examples: {
      default: 3,
      range: [2, 8],
      source: 'catalogue',
    },
    pick: {
      default: 'static',
      source: 'ours',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Two examples contradict each other',
      end: 'refused',
    },
    {
      sign: 'An example nearly equals the question',
      end: 'flagged',
    },
    {
      sign: 'The prefix cache is lost',
      end: 'flagged',
    },
    {
      sign: 'The examples have gone out of date',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['*cache'],
      when: {
        fact: 'examples-per-call',
      },
      why: 'Examples that change go after everything that stays.',
      table: 'B4',
      resolvedBy: 'examples-last',
    },
    {
      kind: 'tension',
      to: ['R17'],
      when: 'both',
      why: 'Examples must not push every sample into one style.',
      table: 'B4',
    },
  ],
  clauses: [
    'The fixed block has the same bytes in the same order on every call.',
    'Each example and the question stand between marks of their own, and marks inside data are escaped.',
    'A pool with one input and two outputs, with mixed output shapes or with unbalanced classes is refused.',
    'No case used for evaluation comes from the pool.',
    'The most typical example stands last, and an outlier never does.',
    'Examples picked per call follow the last cache breakpoint.',
  ],
};
