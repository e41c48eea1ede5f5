import type { PatternSpec } from '../types.js';

export const k9: PatternSpec = {
  id: 'K9',
  name: 'Long Context',
  category: 'knowledge',
  band: 'window',
  purpose: 'Puts the whole working set into the prompt as a cached prefix instead of looking things up.',
  whenNot: 'Not above half the window without a measurement, and not where answers must come within a second.',
  mechanisms: ['M2', 'M4', 'M5'],
  exports: ['longContext'],
  kind: 'agent',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    maxTokens: {
      source: 'ours',
    },
    queries: {
      range: [5, 10],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'answerer',
      },
      {
        times: [
          {
            fact: 'looked',
            least: 0,
            most: 1,
          },
          {
            part: 'otherwise',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The working set outgrows the cap',
      end: 'fallback',
    },
    {
      sign: 'The gap between questions exceeds the cache lifetime',
      end: 'flagged',
    },
    {
      sign: 'The middle of the prompt is overlooked',
      end: 'flagged',
    },
    {
      sign: 'The provider does not cache',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    "Size is counted with the model's own tokenizer, and an overflow fails or takes the other path and never truncates.",
    'The prefix has the same bytes for every question.',
    'The question stands last and key documents first or last.',
    'Every document has a source tag, and citations resolve.',
    'Usage reports cached tokens, and a miss within the lifetime names the first byte that differs.',
  ],
};
