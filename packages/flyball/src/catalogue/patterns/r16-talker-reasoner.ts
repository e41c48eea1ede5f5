import type { PatternSpec } from '../types.js';

export const r16: PatternSpec = {
  id: 'R16',
  name: 'Talker-Reasoner',
  category: 'reasoning',
  band: 'two speeds',
  purpose: 'Answers every turn at once while slow thinking goes on behind and reports through shared memory.',
  whenNot: 'Not where all turns need the same amount of thought.',
  mechanisms: ['M6', 'M8'],
  exports: ['talkerReasoner'],
  kind: 'agent',
  seats: {
    talker: {
      tools: 'none',
      apartFrom: ['reasoner'],
    },
    reasoner: {
      tools: 'any',
    },
  },
  params: {
    replyMs: {
      range: [800, 2000],
      source: 'catalogue',
    },
    maxJobs: {
      source: 'catalogue',
    },
    slice: {
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        part: 'talker',
      },
      {
        times: [
          {
            fact: 'jobs',
            least: 0,
            most: {
              param: 'maxJobs',
            },
          },
          {
            part: 'reasoner',
          },
        ],
      },
    ],
  },
  bounds: ['replyMs', 'maxJobs', 'costUsd'],
  failures: [
    {
      sign: 'A conclusion comes too late',
      end: 'flagged',
    },
    {
      sign: 'Thinking starts too often',
      end: 'flagged',
    },
    {
      sign: 'Two writers collide',
      end: 'retried',
    },
    {
      sign: 'A job fails',
      end: 'flagged',
    },
    {
      sign: 'The talker makes something up',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'A reply is given while a job is still running.',
    'The talker has no slow tools.',
    'The reasoner reaches the user only by the rule of exchange.',
    'What starts a job is neither always nor never true.',
    'Only the two roles write to memory, and no update is lost.',
    'A conclusion whose context has passed is not delivered.',
    'The talker sees what is pending.',
    'Both are on one timeline.',
    'They are separate sessions.',
  ],
};
