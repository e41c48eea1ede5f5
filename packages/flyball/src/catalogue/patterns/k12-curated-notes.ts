import type { PatternSpec } from '../types.js';

export const k12: PatternSpec = {
  id: 'K12',
  name: 'Karpathy Memory',
  category: 'knowledge',
  band: 'memory',
  purpose: 'Lets a curator keep dense, linked notes that everybody else only reads.',
  whenNot: 'Not where notes are rewritten nearly as often as read.',
  mechanisms: ['M9', 'M10'],
  exports: ['curatedNotes'],
  kind: 'store',
  seats: {
    curator: {
      tools: 'none',
      apartFrom: ['agent'],
    },
    agent: {
      tools: 'any',
    },
  },
  params: {
    minIntervalMs: {
      source: 'ours',
    },
    readsPerCuration: {
      default: 10,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'curator',
      },
      {
        times: [
          {
            fact: 'logged',
            least: 0,
            most: 1,
          },
          {
            part: 'curator',
          },
        ],
      },
    ],
  },
  bounds: ['minIntervalMs'],
  failures: [
    {
      sign: 'Notes drift away from their sources',
      end: 'flagged',
    },
    {
      sign: 'An edit is not valid',
      end: 'failed',
    },
    {
      sign: 'Edits come too often',
      end: 'flagged',
    },
    {
      sign: 'Notes are doubled, orphaned or contradict each other',
      end: 'flagged',
    },
    {
      sign: 'Nothing matches',
      end: 'degraded',
    },
  ],
  relations: [],
  clauses: [
    'Readers have no tool to write, and mark what is missing for the next curation.',
    'Notes are never curated turn by turn.',
    'Edits create, update, merge or link, and all of them are applied or none.',
    'Links resolve and titles are unique.',
    'Every claim refers to its source, and sources are never changed.',
    'A read never loads all notes and stays within its tokens.',
    'Each curation is one version that can be compared and undone.',
    'What people edited survives.',
  ],
};
