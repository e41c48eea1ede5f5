import type { PatternSpec } from '../types.js';

export const v17: PatternSpec = {
  id: 'V17',
  name: 'Online Evaluation',
  category: 'reliability',
  band: 'observation and evaluation',
  purpose: 'Samples live runs, scores them without a reference, and alerts an owner when they drift.',
  whenNot: 'Not below about a thousand runs a day.',
  mechanisms: ['M7'],
  exports: ['onlineEval'],
  kind: 'beside',
  seats: {
    judge: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'required',
    },
  },
  params: {
    share: {
      default: 0.01,
      range: [0.01, 0.1],
      source: 'catalogue',
    },
    perWindow: {
      default: 100,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'sampled',
        least: 0,
        most: {
          param: 'perWindow',
        },
      },
      {
        part: 'judge',
      },
    ],
  },
  bounds: ['perWindow'],
  failures: [
    {
      sign: 'Alerts flap',
      end: 'flagged',
    },
    {
      sign: 'One group gets worse unseen',
      end: 'flagged',
    },
    {
      sign: 'The judge erodes',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Traces are its data.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V15'],
      when: 'always',
      why: 'Somebody has to score.',
      table: 'B5',
    },
  ],
  clauses: [
    'Failed, guarded, refused and capped runs are always judged.',
    'A judge of the model of the agent is refused.',
    'Metrics are read off the journal alone.',
    'Every point has task, segment, model and region.',
    'A drift rule names its method and the class of its signal.',
    'A rule without owner and runbook is refused.',
    'The calibration set never enters a prompt of the judge.',
    'Evaluation delays and changes nothing.',
    'Too few scores are insufficient, never ok.',
  ],
};
