import type { PatternSpec } from '../types.js';

export const r4: PatternSpec = {
  id: 'R4',
  name: 'ReAct',
  category: 'reasoning',
  band: 'tool loops',
  purpose: 'Chooses each next tool call after it has seen what the last one really returned.',
  whenNot: 'Not where all calls are known beforehand.',
  mechanisms: ['M2', 'M7'],
  exports: ['reAct'],
  kind: 'agent',
  isLoop: true,
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    maxIterations: {
      default: 20,
      range: [8, 20],
      source: 'catalogue',
    },
    repeatLimit: {
      default: 3,
      source: 'ours',
    },
    tools: {
      range: [1, 15],
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'turns',
        least: 0,
        most: {
          param: 'maxIterations',
        },
      },
      {
        part: 'worker',
      },
    ],
  },
  bounds: ['maxIterations', 'costUsd', 'wallMs', 'toolCalls'],
  failures: [
    {
      sign: 'A result is invented',
      end: 'flagged',
    },
    {
      sign: 'The same call is made again and again',
      end: 'bounded',
    },
    {
      sign: 'A bound is reached',
      end: 'bounded',
    },
    {
      sign: 'Results are large',
      end: 'flagged',
    },
    {
      sign: 'Tools change the world',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'conflicts',
      to: ['R5'],
      when: 'task',
      why: 'One decides after every result, the other before all of them: dependent calls take R4, independent ones R5.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['O6'],
      when: 'both',
      why: "Each worker's loop has a bound.",
      table: 'B4',
      resolvedBy: 'workers-bounded',
    },
  ],
  clauses: [
    'reAct is not built without a cap on its turns, and a run always has a cap on its cost.',
    'What a model invents after a call is cut and flagged.',
    'Every observation comes from a tool.',
    'One call is made in a turn; others are answered as not executed.',
    'A malformed call is not repaired: the model reads what is wrong with it.',
    'A trajectory only grows, in order.',
    'The goal is in every prompt.',
    'Tools get exactly the arguments that were parsed.',
    'Thought, call and result are in the journal, also where the call failed.',
  ],
};
