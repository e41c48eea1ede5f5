import type { PatternSpec } from '../types.js';

export const k7: PatternSpec = {
  id: 'K7',
  name: 'Context Pruning',
  category: 'knowledge',
  band: 'window',
  purpose: 'Takes out results that have been used, exactly, and leaves everything else as it was.',
  whenNot: 'Not for free conversation, where nobody can tell what is used up.',
  mechanisms: ['M2', 'M3', 'M11'],
  exports: ['pruning'],
  kind: 'window',
  seats: {},
  params: {
    at: {
      default: 'threshold',
      source: 'ours',
    },
    trigger: {
      default: 0.7,
      source: 'ours',
    },
    keepRecent: {
      default: 6,
      source: 'ours',
    },
    spent: {
      default: 0.3,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Something pruned is asked for again',
      end: 'fallback',
    },
    {
      sign: 'Nobody can tell what is used up',
      end: 'fallback',
    },
    {
      sign: 'It prunes too often for too little',
      end: 'flagged',
    },
    {
      sign: 'An approval or error is still open',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'conflicts',
      to: ['K11'],
      when: {
        fact: 'log-prefix-edited',
      },
      why: 'Deleting inside the record moves everything after it and loses the cache.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['K11'],
      when: 'both',
      why: "Prune only behind the record's boundary.",
      table: 'B4',
      resolvedBy: 'log-boundary-kept',
    },
  ],
  clauses: [
    'Pruning leaves everything it keeps unchanged, to the byte and in order.',
    'Pruning takes out nothing that no later turn has seen.',
    'After pruning, every tool call still has its result.',
    'Every result that is pruned leaves a stub.',
    'Pruning and compression change nothing before a protected end of a cached prefix.',
    "Pruning reports the first position that it changed, from which a provider's cache is void.",
    'A pruned result can be recalled, to the byte.',
    'Pruning twice changes nothing more.',
  ],
};
