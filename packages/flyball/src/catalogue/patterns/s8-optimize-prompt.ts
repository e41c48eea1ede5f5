import type { PatternSpec } from '../types.js';

export const s8: PatternSpec = {
  id: 'S8',
  name: 'Meta-Prompt',
  category: 'signal',
  band: 'meta',
  purpose:
    'Searches offline for a better prompt by proposing, scoring and keeping the best, and proves it on cases it never saw.',
  whenNot: 'Not without a scorer, and never per request.',
  mechanisms: ['M7', 'M10'],
  exports: ['optimizePrompt'],
  kind: 'agent',
  isLoop: true,
  seats: {
    proposer: {
      tools: 'none',
    },
    worker: {
      tools: 'any',
      apartFrom: ['proposer'],
    },
    test: {
      tools: 'none',
      apartFrom: ['proposer'],
      otherModel: 'preferred',
    },
  },
  params: {
    maxRounds: {
      source: 'catalogue',
    },
    perRound: {
      range: [20, 200],
      source: 'catalogue',
    },
    keep: {
      default: 3,
      source: 'ours',
    },
    cases: {
      source: 'ours',
    },
    holdout: {
      source: 'ours',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            param: 'maxRounds',
          },
          {
            sum: [
              {
                part: 'proposer',
              },
              {
                times: [
                  {
                    times: [
                      {
                        param: 'perRound',
                      },
                      {
                        param: 'cases',
                      },
                    ],
                  },
                  {
                    sum: [
                      {
                        part: 'worker',
                      },
                      {
                        part: 'test',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        ],
      },
      {
        times: [
          {
            param: 'holdout',
          },
          {
            sum: [
              {
                part: 'worker',
              },
              {
                part: 'test',
              },
            ],
          },
        ],
      },
    ],
  },
  bounds: ['maxRounds', 'perRound'],
  failures: [
    {
      sign: 'The best prompt does well on the cases and badly on the held-out ones',
      end: 'failed',
    },
    {
      sign: 'The scorer is gamed',
      end: 'flagged',
    },
    {
      sign: 'The search costs too much',
      end: 'bounded',
    },
    {
      sign: 'The model it was tuned for is replaced',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['R17', 'V15'],
      when: 'always',
      why: 'Without a score there is no way to choose between prompts.',
      table: 'B1',
    },
    {
      kind: 'upgrades-to',
      to: ['H8'],
      when: {
        person: 'online-tuning-guarded',
      },
      why: 'The offline search is taken online, with every safeguard.',
      table: 'B3',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Rounds and candidates are capped before it starts.',
      table: 'B5',
    },
  ],
  clauses: [
    'Without a scorer it is refused.',
    'No held-out case is in any request before the final check, and the two sets share nothing.',
    'The proposer is never asked to score.',
    'What is selected is among what was scored.',
    'Rubric and scoring model stay the same within a run, or the run stops.',
    'A candidate that is too long is dropped before it is scored.',
    'No cap is ever exceeded.',
    'The result names its models, rubric, scores and seed.',
  ],
};
