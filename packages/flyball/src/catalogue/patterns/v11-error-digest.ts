import type { PatternSpec } from '../types.js';

export const v11: PatternSpec = {
  id: 'V11',
  name: 'Error Compaction',
  category: 'reliability',
  band: 'operation',
  purpose: 'Shows the model one short counted line for each class of error and escalates what keeps coming back.',
  whenNot: 'Not where errors are below a twentieth of the context.',
  mechanisms: ['M2', 'M11'],
  exports: ['errorDigest'],
  kind: 'guard',
  seats: {
    summarizer: {
      tools: 'none',
    },
  },
  params: {
    maxConsecutive: {
      default: 3,
      source: 'catalogue',
    },
    maxTotal: {
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        fact: 'unread',
        least: 0,
        most: {
          param: 'maxTotal',
        },
      },
      {
        part: 'summarizer',
      },
    ],
  },
  bounds: ['maxConsecutive', 'maxTotal'],
  failures: [
    {
      sign: 'Different errors are merged',
      end: 'flagged',
    },
    {
      sign: 'The wording of a summary breaks the count',
      end: 'flagged',
    },
    {
      sign: 'The exact text is needed',
      end: 'fallback',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['V14'],
      when: 'both',
      why: 'Short for the model, whole in the trace.',
      table: 'B4',
    },
  ],
  clauses: [
    'The whole error is in the journal before anybody reads a digest.',
    'A line of a digest has the cause in its own words.',
    'A repeated error adds no line, only its count.',
    'The class of an error depends on code, tool, place and message without numbers, paths and ids.',
    'Too many errors of one class in a row have a person agree to another try; too many in all end calling.',
    'A success starts the row anew, not the total.',
    'No stack trace reaches a prompt.',
  ],
};
