import type { PatternSpec } from '../types.js';

export const o9: PatternSpec = {
  id: 'O9',
  name: 'Multi-Agent Reflection',
  category: 'orchestration',
  band: 'agentic',
  purpose:
    'Has one reviewer for each concern read a draft at the same time and an editor turn their notes into one brief.',
  whenNot: 'Not for one concern, and not where answers can be counted.',
  mechanisms: ['M6', 'M7'],
  exports: ['withReviewers'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    reviewers: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'preferred',
    },
    editor: {
      tools: 'none',
      apartFrom: ['reviewers'],
    },
    reviser: {
      tools: 'none',
    },
  },
  params: {
    maxRounds: {
      default: 2,
      source: 'ours',
    },
    reviewers: {
      range: [3, 5],
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
            fact: 'reviewed',
            least: 0,
            most: {
              param: 'maxRounds',
            },
          },
          {
            part: 'reviewers',
          },
        ],
      },
      {
        times: [
          {
            fact: 'edits',
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
            part: 'editor',
          },
        ],
      },
      {
        times: [
          {
            fact: 'revisions',
            least: 0,
            most: {
              sum: [
                {
                  param: 'maxRounds',
                },
                -1,
              ],
            },
          },
          {
            part: 'reviser',
          },
        ],
      },
    ],
  },
  several: { reviewers: 'reviewers' },
  bounds: ['maxRounds'],
  failures: [
    {
      sign: 'A reviewer fails',
      end: 'flagged',
    },
    {
      sign: 'Two reviewers contradict each other',
      end: 'flagged',
    },
    {
      sign: 'It goes back and forth',
      end: 'bounded',
    },
    {
      sign: 'A reviewer never finds anything',
      end: 'flagged',
    },
    {
      sign: 'A revision is worse',
      end: 'degraded',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['R17'],
      when: {
        person: 'one-model-or-specialists',
      },
      why: 'One model votes, different specialists review.',
      table: 'B4',
    },
  ],
  clauses: [
    "A reviewer's request is the output and its own rubric.",
    'Reviewers work at the same time.',
    'Every review reaches the editor, also an empty or failed one, and nothing passes without a mandatory review.',
    'Every issue ends ranked, contradicted, or dismissed with a reason.',
    "Issues outside a reviewer's concern are flagged.",
    'A revision request holds the task, the draft and the brief.',
    'Every round is in the journal.',
  ],
};
