import type { PatternSpec } from '../types.js';

export const r3: PatternSpec = {
  id: 'R3',
  name: 'Plan-and-Solve',
  category: 'reasoning',
  band: 'plan and act',
  purpose:
    'Decides all steps in one call and carries them out in others, so that the plan can be read, approved and replaced.',
  whenNot: 'Not where every next step depends on the last result, and not where the steps never change.',
  mechanisms: ['M7', 'M8'],
  exports: ['planAndSolve'],
  kind: 'agent',
  seats: {
    planner: {
      tools: 'none',
    },
    worker: {
      tools: 'any',
      apartFrom: ['planner'],
    },
    answerer: {
      tools: 'none',
    },
    test: {
      tools: 'none',
    },
  },
  params: {
    maxReplans: {
      default: 3,
      source: 'catalogue',
    },
    maxSteps: {
      default: 15,
      range: [3, 15],
      source: 'catalogue',
    },
    width: {
      default: 1,
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'plans',
            least: 0,
            most: {
              times: [
                2,
                {
                  sum: [
                    1,
                    {
                      param: 'maxReplans',
                    },
                  ],
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
            fact: 'steps',
            least: 0,
            most: {
              times: [
                {
                  param: 'maxSteps',
                },
                {
                  sum: [
                    1,
                    {
                      param: 'maxReplans',
                    },
                  ],
                },
              ],
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
            fact: 'reviews',
            least: 0,
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
            part: 'test',
          },
        ],
      },
      {
        times: [
          {
            fact: 'answers',
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
  bounds: ['maxReplans', 'maxSteps'],
  failures: [
    {
      sign: 'A wrong plan is followed',
      end: 'flagged',
    },
    {
      sign: 'A step cannot be done',
      end: 'retried',
    },
    {
      sign: 'Steps are skipped or merged',
      end: 'failed',
    },
    {
      sign: 'Plans are replaced again and again',
      end: 'bounded',
    },
    {
      sign: 'The plan is out of date after a pause',
      end: 'retried',
    },
    {
      sign: 'The state grows',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'A reply that is not a valid plan never reaches the worker.',
    'Planner and worker are two sessions with two setups.',
    'No step of a plan runs before the plan is approved.',
    'The reviewer approves or says what is wrong; its words go to the planner and never become a plan.',
    "A worker's prompt holds one step and the results that step needs.",
    'A plan cannot be changed once it is read.',
    'A new plan keeps what is done, so that each step runs once, and does not bring the failed step back unchanged.',
    'Every plan version and every change is in the journal.',
  ],
};
