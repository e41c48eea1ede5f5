import type { PatternSpec } from '../types.js';

export const r7: PatternSpec = {
  id: 'R7',
  name: 'Reflexion',
  category: 'reasoning',
  band: 'reflection and verification',
  purpose: 'Tries again with a short written diagnosis of what failed, driven by a check from outside.',
  whenNot: 'Not without a test that can fail.',
  mechanisms: ['M2', 'M7', 'M10'],
  exports: ['reflexion'],
  kind: 'wrapper',
  isLoop: true,
  seats: {
    agent: {
      tools: 'any',
    },
    test: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'preferred',
    },
    critic: {
      tools: 'none',
    },
  },
  params: {
    maxAttempts: {
      default: 3,
      range: [3, 5],
      source: 'catalogue',
    },
    keep: {
      default: 3,
      range: [1, 3],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        times: [
          {
            fact: 'attempts',
            least: 1,
            most: {
              param: 'maxAttempts',
            },
          },
          {
            part: 'agent',
          },
        ],
      },
      {
        times: [
          {
            fact: 'attempts',
            least: 1,
            most: {
              param: 'maxAttempts',
            },
          },
          {
            part: 'test',
          },
        ],
      },
      {
        times: [
          {
            fact: 'critiques',
            least: 0,
            most: {
              sum: [
                {
                  param: 'maxAttempts',
                },
                -1,
              ],
            },
          },
          {
            part: 'critic',
          },
        ],
      },
    ],
  },
  bounds: ['maxAttempts'],
  failures: [
    {
      sign: 'Every attempt fails in the same way',
      end: 'flagged',
    },
    {
      sign: 'The verdict says only that it failed',
      end: 'refused',
    },
    {
      sign: 'A wrong diagnosis persists',
      end: 'flagged',
    },
    {
      sign: 'The check is not repeatable',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'conflicts',
      to: ['O5'],
      when: 'task',
      why: 'Two critics pull one draft in two directions.',
      table: 'B2',
    },
    {
      kind: 'upgrades-to',
      to: ['H2'],
      when: {
        measured: 'failure-recurrence',
        above: 0.2,
      },
      why: 'What fails in one session fails in the next: keep the lessons.',
      table: 'B3',
    },
    {
      kind: 'tension',
      to: ['R4'],
      when: {
        fact: 'retries-trajectory',
      },
      why: 'Cost grows faster than the attempts: short critiques and a tight cap.',
      table: 'B4',
      resolvedBy: 'attempts-capped',
    },
    {
      kind: 'tension',
      to: ['R17'],
      when: {
        person: 'feedback-signal-exists',
      },
      why: 'With a signal of failure try again, without one vote.',
      table: 'B4',
    },
  ],
  clauses: [
    'Reflexion refuses to be built when its test uses the session of the agent it judges.',
    'What the agent says about itself is no verdict: only the test decides whether an attempt passed.',
    'A critique is cut to 600 characters, is asked for without an answer, and cannot pass for an instruction of the author.',
    'Only a failed attempt is critiqued.',
    'An attempt reads at most `keep` critiques, and the next task starts with none.',
    'The number of attempts is always limited.',
    'When the last attempt fails, the run ends bounded with the best-scoring attempt as its partial value.',
    'Every critique is in the journal.',
  ],
};
