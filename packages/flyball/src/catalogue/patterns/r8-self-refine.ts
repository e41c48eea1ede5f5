import type { PatternSpec } from '../types.js';

export const r8: PatternSpec = {
  id: 'R8',
  name: 'Self-Refine',
  category: 'reasoning',
  band: 'reflection and verification',
  purpose: 'Has the model that wrote a result find its faults and repair them, where nothing else can judge.',
  whenNot: 'Not where a test exists, and not where the model accepts what people reject.',
  mechanisms: ['M7'],
  exports: ['selfRefine'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
    critic: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    reviser: {
      tools: 'none',
      apartFrom: ['critic'],
    },
  },
  params: {
    maxRounds: {
      default: 3,
      range: [2, 4],
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
            fact: 'critiques',
            least: 0,
            most: {
              times: [
                2,
                {
                  param: 'maxRounds',
                },
              ],
            },
          },
          {
            part: 'critic',
          },
        ],
      },
      {
        times: [
          {
            fact: 'revisions',
            least: 0,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'reviser',
          },
        ],
      },
    ],
  },
  bounds: ['maxRounds'],
  failures: [
    {
      sign: 'The critic is always content',
      end: 'flagged',
    },
    {
      sign: 'Only the wording changes',
      end: 'flagged',
    },
    {
      sign: 'The result drifts away from the task',
      end: 'flagged',
    },
    {
      sign: 'The critique cannot be read',
      end: 'bounded',
    },
  ],
  relations: [],
  clauses: [
    'selfRefine refuses seats on different models and names untilApproved.',
    'Agent, critic and reviser have different setups.',
    "The critic's setup demands faults.",
    'The agent and the critic read the same criteria.',
    'Every revision request contains the task, the current result and the critique.',
    'Nothing is revised after DONE.',
    'DONE is read by a parser: a critique that mentions it does not end the loop.',
    'The number of rounds is always limited.',
    'Every result and its critique are in the journal.',
  ],
};
