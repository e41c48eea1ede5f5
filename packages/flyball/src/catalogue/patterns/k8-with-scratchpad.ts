import type { PatternSpec } from '../types.js';

export const k8: PatternSpec = {
  id: 'K8',
  name: 'Working Memory / Scratchpad',
  category: 'knowledge',
  band: 'window',
  purpose: 'Keeps intermediate results on one typed page that dependent steps read and update.',
  whenNot: 'Not for one or two steps, and not to share between agents.',
  mechanisms: ['M4', 'M9'],
  exports: ['withScratchpad'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    shrink: {
      tools: 'none',
    },
  },
  params: {
    maxTokens: {
      source: 'ours',
    },
    steps: {
      range: [3, 5],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        times: [
          {
            fact: 'shrunk',
            least: 0,
            most: 1,
          },
          {
            part: 'shrink',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The returned page cannot be read',
      end: 'retried',
    },
    {
      sign: 'The step answered without updating the page',
      end: 'flagged',
    },
    {
      sign: 'A wrong entry misleads later steps',
      end: 'fallback',
    },
    {
      sign: 'The page grows too large',
      end: 'flagged',
    },
    {
      sign: 'Other agents need it',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['R9'],
      when: 'both',
      why: 'Each branch has its own page.',
      table: 'B4',
      resolvedBy: 'pad-per-branch',
    },
  ],
  clauses: [
    'There is exactly one page in a request, between marks, after everything stable.',
    'The next step reads exactly the page that the last one stored.',
    'Marks inside values are escaped.',
    'A returned page that is not valid leaves the stored one as it was.',
    'Entries marked done cannot vanish or change without an explicit revision.',
    'The page is within its token limit before every call.',
    'There is one page per context, and one per branch of a search.',
    'A page that is stored and restored is equal.',
  ],
};
