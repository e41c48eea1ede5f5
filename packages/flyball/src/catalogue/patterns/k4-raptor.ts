import type { PatternSpec } from '../types.js';

export const k4: PatternSpec = {
  id: 'K4',
  name: 'RAPTOR',
  category: 'knowledge',
  band: 'retrieval',
  purpose: 'Serves facts and themes from one index by putting summaries of summaries above the passages.',
  whenNot: 'Not where one chunk size serves all questions.',
  mechanisms: ['M2', 'M9'],
  exports: ['raptor'],
  kind: 'retriever',
  seats: {
    summarizer: {
      tools: 'none',
    },
  },
  params: {
    limit: {
      default: 8,
      source: 'catalogue',
    },
    mode: {
      default: 'collapsed',
      source: 'catalogue',
    },
    clusters: {
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        param: 'clusters',
      },
      {
        part: 'summarizer',
      },
    ],
  },
  bounds: ['limit'],
  failures: [
    {
      sign: 'Detail is lost in a summary',
      end: 'flagged',
    },
    {
      sign: 'A summary is wrong',
      end: 'retried',
    },
    {
      sign: 'Clusters do not get fewer',
      end: 'flagged',
    },
    {
      sign: 'The corpus changed',
      end: 'retried',
    },
    {
      sign: 'Two builds differ in wording',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'Every passage stays searchable.',
    'A node may have several parents, and some do.',
    'Retrieval covers every level.',
    'Each summary lists its children, and citations lead down to passages.',
    'Each level is smaller than the one below and depth is capped, so a build ends.',
    'Summaries are stored by the hash of their content, so a rebuild makes no call.',
    'Summaries keep names and numbers, and how well is measured.',
  ],
};
