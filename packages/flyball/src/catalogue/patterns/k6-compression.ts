import type { PatternSpec } from '../types.js';

export const k6: PatternSpec = {
  id: 'K6',
  name: 'Context Compression',
  category: 'knowledge',
  band: 'window',
  purpose: 'Keeps a long task inside the window by replacing settled old turns with a dense summary.',
  whenNot: 'Not where the task stays below a third of the window, and not across sessions.',
  mechanisms: ['M2', 'M11'],
  exports: ['compression'],
  kind: 'window',
  seats: {
    summarizer: {
      tools: 'none',
    },
  },
  params: {
    trigger: {
      default: 0.7,
      source: 'catalogue',
    },
    keepRecent: {
      default: 6,
      source: 'ours',
    },
    maxTokens: {
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        fact: 'asked',
        least: 0,
        most: 2,
      },
      {
        part: 'summarizer',
      },
    ],
  },
  bounds: ['maxTokens'],
  failures: [
    {
      sign: 'The summary loses names or numbers',
      end: 'retried',
    },
    {
      sign: 'The summarizer fails or writes more than it read',
      end: 'fallback',
    },
    {
      sign: 'A lost detail is needed again',
      end: 'fallback',
    },
    {
      sign: 'It still does not fit',
      end: 'failed',
    },
    {
      sign: 'Two runs differ',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'conflicts',
      to: ['K11'],
      when: {
        fact: 'log-prefix-edited',
      },
      why: 'Rewriting inside the record moves everything after it and loses the cache.',
      table: 'B2',
    },
    {
      kind: 'tension',
      to: ['K11'],
      when: 'both',
      why: "Summarize only behind the record's boundary.",
      table: 'B4',
      resolvedBy: 'log-boundary-kept',
    },
  ],
  clauses: [
    'Compression never touches the setup, the task, protected segments or the last turns.',
    'Compression prunes first, and asks no model where that is enough.',
    'Compression refuses to be built when its summarizer could not read what it has to summarize.',
    'A summary that is not shorter than what it replaces is not used.',
    'A summary is labeled as one, with the first and last message it replaces; the journal lists them all.',
    'What a summary replaced stays in the journal.',
    'Compression never separates a tool call from its result.',
    'The summarizer is told to keep decisions, facts, names, numbers and open questions; how many it lost is measured, and a summary that loses more than half is asked for once more and then not used.',
  ],
};
