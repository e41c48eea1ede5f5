import type { PatternSpec } from '../types.js';

export const r1: PatternSpec = {
  id: 'R1',
  name: 'Zero-Shot CoT',
  category: 'reasoning',
  band: 'linear traces',
  purpose: 'Has a capable model write its working before its answer, by one fixed sentence.',
  whenNot: 'Not for arithmetic, and not on models that reason by themselves.',
  mechanisms: ['M7'],
  exports: ['chainOfThought'],
  kind: 'agent',
  seats: {
    answerer: {
      tools: 'none',
    },
    extractor: {
      tools: 'none',
    },
  },
  params: {
    trigger: {
      default: "Let's think step by step.",
      source: 'catalogue',
    },
    temperature: {
      default: 0,
      range: [0.7, 0.9],
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'answerer',
      },
      {
        times: [
          {
            fact: 'extracted',
            least: 0,
            most: 1,
          },
          {
            part: 'extractor',
          },
        ],
      },
    ],
  },
  bounds: [],
  failures: [
    {
      sign: 'The model agrees to think and does not',
      end: 'flagged',
    },
    {
      sign: 'No answer can be found in the reply',
      end: 'failed',
    },
    {
      sign: 'The working is plausible and the answer wrong',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'The sentence is the last text of the user message, the same bytes on every call.',
    'Examples, a persona, steps or a plan are refused.',
    'The setup is empty.',
    'The answer is read by a pattern, a last line or a schema.',
    'The working is returned with the answer.',
    'Nothing inside retries, votes or criticizes.',
  ],
};
