import type { PatternSpec } from '../types.js';

export const s1: PatternSpec = {
  id: 'S1',
  name: 'Zero-Shot',
  category: 'signal',
  band: 'baseline',
  purpose:
    'Answers from a plain instruction in one call. It is the measured floor that every other pattern has to beat.',
  whenNot: 'Not for work that must look something up, and not alone where a wrong answer does harm.',
  mechanisms: ['M7'],
  exports: ['zeroShot'],
  kind: 'agent',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    probe: {
      default: 20,
      source: 'catalogue',
    },
  },
  calls: {
    part: 'answerer',
  },
  bounds: [],
  failures: [
    {
      sign: 'Replies drift in shape',
      end: 'flagged',
    },
    {
      sign: 'Another model was put in',
      end: 'flagged',
    },
    {
      sign: 'The prompt has grown into another pattern',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['S2'],
      when: {
        measured: 'shape-consistency',
        below: 0.9,
      },
      why: 'Examples cost three to five times the tokens and fix the form.',
      table: 'B3',
    },
  ],
  clauses: [
    'zeroShot adds nothing to what its session and input say, and a probe refuses a prompt with a setup or with text of another pattern.',
    'zeroShot makes one request, asks nobody again, and returns the reply byte for byte.',
    'A baseline stores the model and decoding it was measured with, and baselines that differ in either are not compared.',
    '`patternsOf` reports which patterns a prompt really contains.',
  ],
};
