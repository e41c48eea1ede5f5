import type { PatternSpec } from '../types.js';

export const o5: PatternSpec = {
  id: 'O5',
  name: 'Evaluator-Optimizer',
  category: 'orchestration',
  band: 'agentic',
  purpose: 'Revises a draft until a separate judge, the only one who knows the rubric, approves or the rounds run out.',
  whenNot: 'Not where code can tell right from wrong.',
  mechanisms: ['M7', 'M8'],
  exports: ['untilApproved'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
    test: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'preferred',
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
        times: [
          {
            fact: 'drafts',
            least: 1,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'agent',
          },
        ],
      },
      {
        times: [
          {
            fact: 'judged',
            least: 1,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'test',
          },
        ],
      },
    ],
  },
  bounds: ['maxRounds'],
  failures: [
    {
      sign: 'The verdict cannot be read',
      end: 'retried',
    },
    {
      sign: 'Everything is approved at once',
      end: 'flagged',
    },
    {
      sign: 'Nothing is ever approved',
      end: 'bounded',
    },
    {
      sign: 'A revision changes nothing',
      end: 'blocked',
    },
    {
      sign: 'Judge and author are one model',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V15'],
      when: 'always',
      why: 'Somebody has to be the judge.',
      table: 'B5',
    },
  ],
  clauses: [
    'The rubric is in every request to the judge and in none to the agent.',
    'untilApproved refuses to be built when its test uses the session of the agent it judges.',
    'What the judge writes never becomes a draft.',
    'Each revision reads the task, the current draft and what is wrong with it.',
    'No draft is returned as done unless it was approved.',
    'Every draft and every verdict is in the journal.',
  ],
};
