import type { PatternSpec } from '../types.js';

export const v16: PatternSpec = {
  id: 'V16',
  name: 'Offline Evaluation',
  category: 'reliability',
  band: 'observation and evaluation',
  purpose: 'Holds each change against a fixed, held-out suite and an accepted baseline before it ships.',
  whenNot: 'Not with cases that are also in prompts.',
  mechanisms: ['M7', 'M10'],
  exports: ['runSuite', 'releaseGate'],
  kind: 'beside',
  seats: {
    agent: {
      tools: 'any',
    },
    judge: {
      tools: 'none',
    },
  },
  params: {
    cases: {
      range: [30, 50],
      source: 'catalogue',
    },
    repeats: {
      source: 'ours',
    },
  },
  calls: {
    times: [
      {
        param: 'cases',
      },
      {
        sum: [
          {
            part: 'agent',
          },
          {
            part: 'judge',
          },
        ],
      },
    ],
  },
  bounds: ['cases'],
  failures: [
    {
      sign: 'Results vary from run to run',
      end: 'flagged',
    },
    {
      sign: 'A case is out of date',
      end: 'flagged',
    },
    {
      sign: 'The judge is replaced',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'A replay has to give the same.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V15'],
      when: {
        fact: 'no-exact-scorer',
      },
      why: 'Without an exact answer somebody has to judge.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Traces are its data.',
      table: 'B5',
    },
  ],
  clauses: [
    'A suite that is edited while it runs measures nothing.',
    'Each case runs as often as declared, and nothing is tried again.',
    'Each score comes from the check that its case declares.',
    'A baseline changes only by promotion with a name and a reason.',
    'Safety has no tolerance.',
    'A gate is bypassed only with a name and a reason.',
    'Results of another suite or other pins are not compared.',
    'A suite without one of the categories is refused.',
    'Cost and latency that rose are reported.',
    'Cases that are in what the system is given fail the suite.',
  ],
};
