import type { PatternSpec } from '../types.js';

export const v14: PatternSpec = {
  id: 'V14',
  name: 'Trajectory Logging',
  category: 'reliability',
  band: 'observation and evaluation',
  purpose: 'Records every decision, model call, tool call and check of a run as one tree of spans.',
  whenNot: 'Never left out.',
  mechanisms: ['M10'],
  exports: ['traceOf'],
  kind: 'kernel',
  seats: {},
  params: {
    sample: {
      default: 0.01,
      range: [0.01, 0.1],
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Nobody reads the traces',
      end: 'flagged',
    },
    {
      sign: 'The buffer overflows',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'A tracer that throws changes nothing in the run.',
    'Every model and tool call has exactly one closed span, failed ones too.',
    'There is one root and no orphan, across branches, children, processes and other runs.',
    'Attributes are those of the conventions or of our namespace.',
    'The trace contains no content, so no secret.',
    'Whether a trace is kept is decided when its run has ended.',
    'The audit file shows every change to it.',
  ],
};
