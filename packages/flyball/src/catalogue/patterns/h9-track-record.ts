import type { PatternSpec } from '../types.js';

export const h9: PatternSpec = {
  id: 'H9',
  name: 'Observational Identity',
  category: 'humanizer',
  band: 'self-knowledge',
  purpose: 'Keeps an honest, fading record of what the agent has shown it can do, and answers from it.',
  whenNot: 'Not where it does all kinds of task equally well.',
  mechanisms: ['M9', 'M10'],
  exports: ['trackRecord'],
  kind: 'store',
  seats: {
    updater: {
      tools: 'none',
      apartFrom: ['agent'],
    },
  },
  params: {
    halfLifeDays: {
      default: 90,
      source: 'catalogue',
    },
    maxTokens: {
      default: 2000,
      range: [1000, 2000],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'updates',
            least: 1,
            most: 2,
          },
          {
            part: 'updater',
          },
        ],
      },
      {
        times: [
          {
            fact: 'answered',
            least: 0,
            most: 1,
          },
          {
            part: 'updater',
          },
        ],
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The record is out of date',
      end: 'flagged',
    },
    {
      sign: 'It flatters itself',
      end: 'flagged',
    },
    {
      sign: 'Failures are left out',
      end: 'flagged',
    },
    {
      sign: 'It outgrows its tokens',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'A record that changes needs somebody it is about.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['K11'],
      when: 'always',
      why: "It is made from the session's record.",
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['H10'],
      when: 'both',
      why: 'One is about the agent and the other about the user: their schemas are apart.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['K11'],
      when: 'both',
      why: "The session's record feeds the lasting one when the session ends.",
      table: 'B4',
    },
  ],
  clauses: [
    'An entry without attempts, successes, date or confidence is refused.',
    'Failures count as attempts.',
    'What was never tried is never written.',
    'Where there is no entry the reply says so.',
    'A commitment is closed only by an explicit event.',
    'Every update lets entries fade.',
    'The session that updates is a separate session, never during a session.',
    'Fields of identity, style and relationship do not fit its schema.',
    'There is more than one versioned copy.',
  ],
};
