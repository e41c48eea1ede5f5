import type { PatternSpec } from '../types.js';

export const o4: PatternSpec = {
  id: 'O4',
  name: 'Parallelization',
  category: 'orchestration',
  band: 'fixed workflows',
  purpose: 'Runs parts that do not depend on each other at the same time and joins them by a fixed rule.',
  whenNot: 'Not where one part needs what another found.',
  mechanisms: ['M5', 'M6'],
  exports: ['mapReduce'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'any',
    },
    judge: {
      tools: 'none',
    },
  },
  params: {
    maxWorkers: {
      range: [3, 10],
      source: 'catalogue',
    },
    width: {
      source: 'catalogue',
    },
    quorum: {
      default: 'all',
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'tasks',
            least: 0,
            most: {
              param: 'maxWorkers',
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
            fact: 'judged',
            least: 0,
            most: 2,
          },
          {
            part: 'judge',
          },
        ],
      },
    ],
  },
  bounds: ['maxWorkers'],
  failures: [
    {
      sign: 'The provider limits the rate',
      end: 'retried',
    },
    {
      sign: 'Too few parts succeed',
      end: 'blocked',
    },
    {
      sign: 'There are more parts than workers',
      end: 'flagged',
    },
    {
      sign: 'Votes are alike',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['O17'],
      when: 'always',
      why: 'Siblings never see each other.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'Calls at the same time share no hidden state.',
      table: 'B5',
    },
  ],
  clauses: [
    'A worker sees its own task and nothing of its siblings, and has its own equal part of the budget.',
    'As many workers are in flight as the width allows, and no more.',
    'The fan-out takes as long as its slowest worker.',
    'Tasks that were refused or failed are slots that say why.',
    'Below the quorum nothing is joined.',
    'Results stand in the order of the input.',
    "A judge's choice is one candidate word for word, or none.",
    'Votes of one model at temperature 0 are refused.',
  ],
};
