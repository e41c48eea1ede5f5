import type { PatternSpec } from '../types.js';

export const o1: PatternSpec = {
  id: 'O1',
  name: 'Single Agent',
  category: 'orchestration',
  band: 'fixed workflows',
  purpose:
    'Lets one model with one setup and one bounded set of tools carry the whole task. It is the baseline for all others.',
  whenNot: 'Not with more than fifteen tools, and not where somebody else has to judge.',
  mechanisms: ['M2', 'M8'],
  exports: ['defineAgent'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    maxSteps: {
      range: [3, 20],
      source: 'catalogue',
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
        least: 1,
        most: {
          param: 'maxSteps',
        },
      },
      {
        part: 'worker',
      },
    ],
  },
  bounds: ['maxSteps', 'costUsd', 'wallMs'],
  failures: [
    {
      sign: 'It runs away',
      end: 'bounded',
    },
    {
      sign: 'A tool fails',
      end: 'flagged',
    },
    {
      sign: 'The window overflows',
      end: 'bounded',
    },
    {
      sign: 'There is no budget or no trace',
      end: 'refused',
    },
    {
      sign: 'The setup switches roles',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'All calls of an agent share one model and one byte-identical setup.',
    'No second session appears in the trace of an agent.',
    'An agent with a sixteenth tool is refused unless its definition allows it with `maxTools`.',
    'Each limit ends the run by itself.',
    'A caller cannot change messages of a run that has started.',
    'No state outlives a run.',
    'Every step is in the trace.',
  ],
};
