import type { PatternSpec } from '../types.js';

export const r12: PatternSpec = {
  id: 'R12',
  name: 'Skeleton-of-Thought',
  category: 'reasoning',
  band: 'decomposition',
  purpose: 'Outlines a long answer once, then writes all points at the same time.',
  whenNot: 'Not for short answers, and not where sections build on each other.',
  mechanisms: ['M6'],
  exports: ['skeletonOfThought'],
  kind: 'agent',
  seats: {
    planner: {
      tools: 'none',
    },
    worker: {
      tools: 'none',
    },
    editor: {
      tools: 'none',
    },
    classifier: {
      tools: 'none',
    },
  },
  params: {
    maxPoints: {
      default: 7,
      range: [5, 8],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'classified',
            least: 0,
            most: 1,
          },
          {
            part: 'classifier',
          },
        ],
      },
      {
        times: [
          {
            fact: 'outlined',
            least: 0,
            most: 1,
          },
          {
            part: 'planner',
          },
        ],
      },
      {
        times: [
          {
            fact: 'points',
            least: 1,
            most: {
              param: 'maxPoints',
            },
          },
          {
            part: 'worker',
          },
        ],
      },
      {
        times: [
          {
            fact: 'smoothed',
            least: 0,
            most: 1,
          },
          {
            part: 'editor',
          },
        ],
      },
    ],
  },
  bounds: ['maxPoints'],
  failures: [
    {
      sign: 'Two sections contradict each other',
      end: 'flagged',
    },
    {
      sign: 'There are too many points',
      end: 'flagged',
    },
    {
      sign: 'A point fails',
      end: 'retried',
    },
    {
      sign: 'Lengths are uneven',
      end: 'flagged',
    },
    {
      sign: 'The question is short or its parts depend on each other',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'conflicts',
      to: ['O4'],
      when: 'task',
      why: 'It is the same mechanism twice: keep one.',
      table: 'B2',
    },
  ],
  clauses: [
    'The outline is a numbered list of short phrases, and prose is refused.',
    'Points beyond the cap are dropped before any is written.',
    "Each request for a point holds the question, the outline and one point, and no other point's text.",
    'All points begin before any ends, as far as there is room.',
    'The answer has the order of the outline.',
    'Joining changes no text.',
    'Smoothing may change the seams only.',
    'The session that routes cannot answer.',
    'There is one definition of the writing session.',
  ],
};
