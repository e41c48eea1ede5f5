import type { PatternSpec } from '../types.js';

export const r5: PatternSpec = {
  id: 'R5',
  name: 'ReWOO',
  category: 'reasoning',
  band: 'plan and act',
  purpose: 'Plans all tool calls at once, runs them as plain code, and answers once.',
  whenNot: 'Not where a call depends on a decision about an earlier result, and not for one or two calls.',
  mechanisms: ['M2', 'M6'],
  exports: ['rewoo'],
  kind: 'agent',
  seats: {
    planner: {
      tools: 'none',
    },
    answerer: {
      tools: 'none',
    },
  },
  params: {
    maxReplans: {
      default: 1,
      source: 'catalogue',
    },
    tools: {
      range: [1, 15],
      source: 'catalogue',
    },
    steps: {
      range: [5, 15],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'plans',
            least: 1,
            most: {
              sum: [
                1,
                {
                  param: 'maxReplans',
                },
              ],
            },
          },
          {
            part: 'planner',
          },
        ],
      },
      {
        times: [
          {
            fact: 'answered',
            least: 0,
            most: 1,
          },
          {
            part: 'answerer',
          },
        ],
      },
    ],
  },
  bounds: ['maxReplans'],
  failures: [
    {
      sign: 'What looks like a reference is really a decision',
      end: 'fallback',
    },
    {
      sign: 'Part of the evidence is missing',
      end: 'degraded',
    },
    {
      sign: 'A result has another type than declared',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'No model is called between plan and answer.',
    'Each reference names an earlier step.',
    'Every tool exists and its arguments fit.',
    'Conditions and prose in a plan are refused.',
    'The tools are those that were there when it was planned.',
    'Only placeholders are filled in.',
    'Steps that do not depend on each other run at the same time.',
    'What depends on a failed step is not run.',
    'The answerer has no tools and may say that something is missing, but not plan again.',
  ],
};
