import type { PatternSpec } from '../types.js';

export const o7: PatternSpec = {
  id: 'O7',
  name: 'Supervisor Hierarchy',
  category: 'orchestration',
  band: 'agentic',
  purpose: 'Puts orchestrators under orchestrators, so that each coordinates only its own.',
  whenNot: 'Not before one orchestrator is measurably full.',
  mechanisms: ['M6', 'M8'],
  exports: ['hierarchy'],
  kind: 'agent',
  isLoop: true,
  seats: {
    planner: {
      tools: 'none',
    },
    children: {
      tools: 'any',
    },
    editor: {
      tools: 'none',
    },
  },
  params: {
    maxDepth: {
      default: 2,
      range: [2, 3],
      source: 'catalogue',
    },
    maxFanOut: {
      default: 6,
      range: [3, 6],
      source: 'catalogue',
    },
    maxRounds: {
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
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
                part: 'editor',
              },
            ],
          },
        ],
      },
      {
        times: [
          {
            fact: 'finals',
            least: 0,
            most: 1,
          },
          {
            part: 'editor',
          },
        ],
      },
      {
        times: [
          {
            fact: 'dispatched',
            least: 0,
            most: {
              param: 'maxFanOut',
            },
          },
          {
            part: 'children',
          },
        ],
      },
    ],
  },
  bounds: ['maxDepth', 'maxFanOut', 'maxRounds'],
  failures: [
    {
      sign: 'A child is exhausted',
      end: 'person',
    },
    {
      sign: 'Retries multiply',
      end: 'bounded',
    },
    {
      sign: 'Detail is lost on the way up',
      end: 'flagged',
    },
    {
      sign: 'Half of the context is occupied',
      end: 'flagged',
    },
    {
      sign: 'Two branches are the same',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'A cap at the root alone is not safe.',
      table: 'B5',
    },
  ],
  clauses: [
    'A node names only its children.',
    "Nothing passes between siblings but through the parent's brief.",
    'A leaf that starts others fails.',
    'Supervisors have no tools and see results only.',
    'Messages fit versioned schemas and say where they come from.',
    'Every supervisor has bounds of its own within what its parent has left.',
    'There is one trace.',
    'Depth is capped.',
  ],
};
