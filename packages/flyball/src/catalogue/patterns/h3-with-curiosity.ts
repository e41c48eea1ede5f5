import type { PatternSpec } from '../types.js';

export const h3: PatternSpec = {
  id: 'H3',
  name: 'Entropy-Driven Curiosity',
  category: 'humanizer',
  band: 'deliberation',
  purpose: 'Notices that a loop keeps saying the same thing, shakes it up, and returns to normal.',
  whenNot: 'Not for tasks with one right answer, and not with a vote.',
  mechanisms: ['M7'],
  exports: ['withCuriosity'],
  kind: 'wrapper',
  seats: {
    agent: {
      tools: 'any',
    },
    verifier: {
      tools: 'none',
    },
  },
  params: {
    stallAbove: {
      default: 0.9,
      source: 'catalogue',
    },
    window: {
      default: 3,
      range: [3, 5],
      source: 'catalogue',
    },
    maxFirings: {
      default: 3,
      range: [2, 3],
      source: 'catalogue',
    },
    decaySteps: {
      default: 3,
      range: [3, 5],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'agent',
      },
      {
        times: [
          {
            fact: 'verified',
            least: 0,
            most: {
              param: 'maxFirings',
            },
          },
          {
            part: 'verifier',
          },
        ],
      },
    ],
  },
  bounds: ['maxFirings', 'decaySteps'],
  failures: [
    {
      sign: 'It fires too early',
      end: 'flagged',
    },
    {
      sign: 'The text falls apart',
      end: 'flagged',
    },
    {
      sign: 'Shaking does not help',
      end: 'person',
    },
    {
      sign: 'A right answer is given up',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'What is shaken up is the expression and not the core.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Repeated firing has to end somewhere.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V20'],
      when: {
        fact: 'structured-inner',
      },
      why: 'Structured output stays valid, or it is off there.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['R17'],
      when: 'task',
      why: 'One makes answers differ, the other votes the difference away.',
      table: 'B2',
    },
    {
      kind: 'conflicts',
      to: ['V20'],
      when: 'span',
      why: 'A higher temperature breaks the tokens of a schema: turn it off there.',
      table: 'B2',
    },
  ],
  clauses: [
    'The detector never reads what it caused.',
    'Each firing goes one step further: a cue, a higher temperature, another course.',
    'The temperature is back to normal when the decay is over.',
    'The identity has the same bytes throughout.',
    'It is off where a schema binds the output.',
    'When the verifier says it is done, it ends without shaking.',
    'Beyond the cap it escalates.',
  ],
};
