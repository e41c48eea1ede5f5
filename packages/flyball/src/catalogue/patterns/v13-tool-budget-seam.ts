import type { PatternSpec } from '../types.js';

export const v13: PatternSpec = {
  id: 'V13',
  name: 'Tool Budget',
  category: 'reliability',
  band: 'operation',
  purpose: 'Keeps the tools that a model sees few enough to choose well and to leave room in the window.',
  whenNot: 'Not needed for a handful of tools.',
  mechanisms: ['M1', 'M2'],
  exports: ['toolBudgetSeam'],
  kind: 'guard',
  seats: {
    router: {
      tools: 'none',
    },
  },
  params: {
    warnAbove: {
      default: 15,
      source: 'catalogue',
    },
    refuseAbove: {
      default: 40,
      source: 'catalogue',
    },
    maxShare: {
      default: 0.1,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'routed',
        least: 0,
        most: 1,
      },
      {
        part: 'router',
      },
    ],
  },
  bounds: ['refuseAbove', 'maxShare'],
  failures: [
    {
      sign: 'The needed tool was not shown',
      end: 'retried',
    },
    {
      sign: 'A gateway loads everything',
      end: 'flagged',
    },
    {
      sign: 'Results are large',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'The registry of tools and what a model is shown are different objects.',
    'Too many tools without a choice are refused before anything is sent.',
    'What is measured is the request that is sent.',
    'Both the number of tools and their tokens are enforced.',
    'A tool that fronts others counts for all it reaches.',
    'A choice is never larger than its cap and holds the needed tool.',
    'Loaded tools that nobody called are recorded.',
    'Tools of a server that changes are admitted anew.',
    'Pruning recurs and is approved by a person.',
  ],
};
