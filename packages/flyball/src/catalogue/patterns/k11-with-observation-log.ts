import type { PatternSpec } from '../types.js';

export const k11: PatternSpec = {
  id: 'K11',
  name: 'Observational Memory',
  category: 'knowledge',
  band: 'memory',
  purpose:
    'Makes an append-only record of what the agent saw and did its main memory, so that the prefix stays cached.',
  whenNot: 'Not for short conversations, and not where the provider does not cache.',
  mechanisms: ['M3', 'M5', 'M10'],
  exports: ['withObservationLog'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
  },
  params: {
    sealAt: {
      source: 'ours',
    },
    turns: {
      range: [20, 30],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'calls',
            least: 1,
            most: 2,
          },
          {
            part: 'agent',
          },
        ],
      },
      {
        times: [
          {
            fact: 'looked',
            least: 0,
            most: 1,
          },
          {
            part: 'otherwise',
          },
        ],
      },
    ],
  },
  bounds: ['sealAt'],
  failures: [
    {
      sign: 'The cache is hit in less than 70% of calls',
      end: 'flagged',
    },
    {
      sign: 'The record nears the window',
      end: 'flagged',
    },
    {
      sign: 'The pause exceeds the cache lifetime',
      end: 'flagged',
    },
    {
      sign: 'The provider does not cache',
      end: 'flagged',
    },
    {
      sign: 'The record does not know',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['K6'],
      when: 'both',
      why: 'The record selects first, then the selection is summarized.',
      table: 'B4',
      resolvedBy: 'log-boundary-kept',
    },
    {
      kind: 'tension',
      to: ['K12'],
      when: 'both',
      why: "Curate between sessions, so that the record's prefix stays.",
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['R5'],
      when: 'both',
      why: 'What is known goes in before the plan and not during it.',
      table: 'B4',
    },
  ],
  clauses: [
    'The record in one request is a prefix of the record in the next.',
    'Nothing edits, reorders or deletes an entry, and a hash chain shows it.',
    'Entries are short, and nothing that varies stands before them.',
    'The first call never includes what was looked up elsewhere.',
    'What was looked up enters the record only when the exchange is over.',
    'Summaries and pruning work behind the boundary, or by a seal that starts a new record at the price of one miss.',
    'The hit rate is reported.',
  ],
};
