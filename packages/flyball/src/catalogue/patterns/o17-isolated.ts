import type { PatternSpec } from '../types.js';

export const o17: PatternSpec = {
  id: 'O17',
  name: 'Agent Isolation',
  category: 'orchestration',
  band: 'mechanisms',
  purpose: 'Works in a fresh context that holds only its brief, keeps the result and drops the rest.',
  whenNot: 'Not where the brief cannot be listed, and not for a conversation that goes on.',
  mechanisms: ['M2', 'M6'],
  exports: ['isolated'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
  },
  params: {
    maxBriefTokens: {
      default: 5000,
      source: 'catalogue',
    },
    maxSpawns: {
      default: 6,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'spawned',
        least: 0,
        most: 1,
      },
      {
        part: 'agent',
      },
    ],
  },
  bounds: ['maxBriefTokens', 'maxSpawns', 'depth'],
  failures: [
    {
      sign: 'Something is missing from the brief',
      end: 'flagged',
    },
    {
      sign: 'The brief is too long',
      end: 'failed',
    },
    {
      sign: 'The brief cannot be listed',
      end: 'refused',
    },
    {
      sign: 'Too many are started',
      end: 'blocked',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Starting others is capped.',
      table: 'B5',
    },
  ],
  clauses: [
    "A sub-task's first request is its own setup and its brief.",
    'A sub-task has the tools of its agent and no others.',
    "A sub-task has no handle on its parent's state.",
    "The parent's next request grew by the result alone.",
    'A sub-task that ended cannot be used any more.',
    'A result that breaks its contract is an error.',
    'What a sub-task did can be read from the trace.',
    'A sub-task beyond the allowed number or depth is denied, with the reason.',
  ],
};
