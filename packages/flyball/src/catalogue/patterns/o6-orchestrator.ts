import type { PatternSpec } from '../types.js';

export const o6: PatternSpec = {
  id: 'O6',
  name: 'Orchestrator-Workers',
  category: 'orchestration',
  band: 'agentic',
  purpose:
    'Has a planner split the goal at run time, isolated workers carry out briefs, and an editor write one answer.',
  whenNot: 'Not where the split is always the same.',
  mechanisms: ['M6', 'M8'],
  exports: ['orchestrator'],
  kind: 'agent',
  isLoop: true,
  seats: {
    planner: {
      tools: 'none',
      apartFrom: ['workers'],
    },
    workers: {
      tools: 'any',
    },
    editor: {
      tools: 'none',
      apartFrom: ['workers'],
    },
  },
  params: {
    maxWorkers: {
      range: [5, 10],
      source: 'catalogue',
    },
    maxRounds: {
      default: 1,
      source: 'ours',
    },
    slice: {
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        fact: 'rounds',
        least: 1,
        most: {
          param: 'maxRounds',
        },
      },
      {
        sum: [
          {
            part: 'planner',
          },
          {
            times: [
              {
                fact: 'briefs',
                least: 0,
                most: {
                  param: 'maxWorkers',
                },
              },
              {
                part: 'workers',
              },
            ],
          },
          {
            part: 'editor',
          },
        ],
      },
    ],
  },
  bounds: ['maxWorkers', 'maxRounds', 'depth', 'costUsd', 'wallMs'],
  failures: [
    {
      sign: 'It starts too many workers',
      end: 'retried',
    },
    {
      sign: 'A worker fails',
      end: 'flagged',
    },
    {
      sign: 'The plan is not valid',
      end: 'retried',
    },
    {
      sign: 'A bound is reached',
      end: 'bounded',
    },
    {
      sign: 'It calls itself',
      end: 'bounded',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['O17'],
      when: 'always',
      why: "Workers that see each other's context lose what splitting gains.",
      table: 'B1',
    },
    {
      kind: 'upgrades-to',
      to: ['O7'],
      when: {
        measured: 'workers',
        above: 10,
      },
      why: 'One planner cannot oversee more than five to ten.',
      table: 'B3',
    },
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'A worker can be replaced in the middle of its task.',
      table: 'B5',
    },
    {
      kind: 'tension',
      to: ['O4'],
      when: {
        fact: 'independent-workers',
      },
      why: 'Workers that do not depend on each other work side by side.',
      table: 'B5',
      resolvedBy: 'fan-out-beside',
    },
    {
      kind: 'tension',
      to: ['R3'],
      when: 'both',
      why: 'Without a plan it is a loop of roles.',
      table: 'B5',
      resolvedBy: 'plan-beside',
    },
  ],
  clauses: [
    'Planner and editor have no tools for the task.',
    'A worker reads its setup and its brief and nothing else.',
    'What a worker did never reaches planner or editor.',
    'An unknown worker or an incomplete brief is refused before anything starts.',
    'Every brief has one outcome that the editor sees.',
    'The editor always runs.',
    'There is one tree of spans.',
  ],
};
