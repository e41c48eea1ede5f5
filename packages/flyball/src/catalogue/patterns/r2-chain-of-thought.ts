import type { PatternSpec } from '../types.js';

export const r2: PatternSpec = {
  id: 'R2',
  name: 'Few-Shot CoT',
  category: 'reasoning',
  band: 'linear traces',
  purpose:
    'Shows worked questions with their reasoning, so that the model copies both the way of thinking and the form of the answer.',
  whenNot: 'Not beside the fixed sentence of R1, and not on models that reason by themselves without a comparison.',
  mechanisms: ['M1', 'M5', 'M12'],
  exports: ['chainOfThought'],
  kind: 'agent',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    examples: {
      default: 4,
      range: [4, 8],
      source: 'catalogue',
    },
    marker: {
      default: 'The answer is',
      source: 'catalogue',
    },
    temperature: {
      default: 0,
      range: [0.7, 0.9],
      source: 'catalogue',
    },
  },
  calls: {
    part: 'answerer',
  },
  bounds: [],
  failures: [
    {
      sign: 'An example is right for the wrong reason',
      end: 'flagged',
    },
    {
      sign: 'A reasoning model does worse with examples',
      end: 'flagged',
    },
    {
      sign: 'The marker is missing',
      end: 'failed',
    },
    {
      sign: 'The pool has gone out of date',
      end: 'flagged',
    },
    {
      sign: 'Picking per call loses the cache',
      end: 'flagged',
    },
  ],
  relations: [],
  clauses: [
    'An example without reasoning or without the marker is refused.',
    'An example that nobody audited cannot be picked.',
    'The fixed block has the same bytes in the same order on every call.',
    'The question stands once, after a mark, last.',
    'The examples cover different kinds of problem.',
    'The sentence of R1 is absent.',
    'Shape and answer are scored apart.',
  ],
};
