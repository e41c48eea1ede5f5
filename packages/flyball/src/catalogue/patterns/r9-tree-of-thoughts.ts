import type { PatternSpec } from '../types.js';

export const r9: PatternSpec = {
  id: 'R9',
  name: 'Tree of Thoughts',
  category: 'reasoning',
  band: 'search',
  purpose: 'Searches a tree of partial solutions, scores them, and backs out of dead ends.',
  whenNot: 'Not where plain reasoning solves six of ten, and not without a scorer that tells good from bad.',
  mechanisms: ['M7'],
  exports: ['treeOfThoughts'],
  kind: 'agent',
  isLoop: true,
  seats: {
    proposer: {
      tools: 'none',
    },
    scorer: {
      tools: 'none',
      apartFrom: ['proposer'],
    },
  },
  params: {
    branch: {
      default: 5,
      range: [3, 5],
      source: 'catalogue',
    },
    beam: {
      default: 5,
      range: [1, 5],
      source: 'catalogue',
    },
    depth: {
      default: 4,
      range: [3, 10],
      source: 'catalogue',
    },
    maxNodes: {
      default: 200,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'expansions',
        least: 1,
        most: {
          sum: [
            1,
            {
              times: [
                {
                  param: 'beam',
                },
                {
                  sum: [
                    {
                      param: 'depth',
                    },
                    -1,
                  ],
                },
              ],
            },
          ],
        },
      },
      {
        sum: [
          {
            times: [
              {
                fact: 'proposals',
                least: 1,
                most: {
                  param: 'branch',
                },
              },
              {
                part: 'proposer',
              },
            ],
          },
          {
            times: [
              {
                fact: 'scores',
                least: 1,
                most: {
                  param: 'branch',
                },
              },
              {
                part: 'scorer',
              },
            ],
          },
        ],
      },
    ],
  },
  bounds: ['maxNodes', 'depth', 'modelCalls', 'wallMs'],
  failures: [
    {
      sign: 'Siblings say the same in other words',
      end: 'flagged',
    },
    {
      sign: 'Scores are noise',
      end: 'flagged',
    },
    {
      sign: 'A cap is reached',
      end: 'bounded',
    },
    {
      sign: 'The process dies',
      end: 'retried',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['R10'],
      when: {
        person: 'backtracking-is-decisive',
      },
      why: 'It costs up to ten times as much.',
      table: 'B3',
    },
  ],
  clauses: [
    'All four caps are required and checked before each call.',
    'The session that proposes sees no score and gives no verdict.',
    'The session that scores returns scores only.',
    'The two are separate sessions, the scorer at a lower temperature.',
    'A state is scored once.',
    'Any child that is a goal ends the search.',
    'Reading the answer off scores nothing again.',
    'Every branch has its own page.',
    'The whole tree is in the journal with the reason for each cut.',
  ],
};
