import type { PatternSpec } from '../types.js';

export const v15: PatternSpec = {
  id: 'V15',
  name: 'LLM-as-Judge',
  category: 'reliability',
  band: 'observation and evaluation',
  purpose: 'Scores a result against a written rubric with a session of its own, where no right answer is known.',
  whenNot: 'Not where a right answer can be computed, and not uncalibrated.',
  mechanisms: ['M7', 'M8'],
  exports: ['rubricJudge', 'pairJudge'],
  kind: 'test',
  seats: {
    judge: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'preferred',
    },
  },
  params: {
    dimensions: {
      range: [2, 6],
      source: 'catalogue',
    },
    labels: {
      range: [50, 200],
      source: 'catalogue',
    },
    agreement: {
      default: 0.7,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'orders',
        least: 1,
        most: 2,
      },
      {
        part: 'judge',
      },
    ],
  },
  bounds: [],
  failures: [
    {
      sign: 'Order, length or its own style sway the judge',
      end: 'flagged',
    },
    {
      sign: 'The rubric is vague',
      end: 'refused',
    },
    {
      sign: 'The verdict cannot be read',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'It reads recorded outputs.',
      table: 'B5',
    },
  ],
  clauses: [
    'Only the judge reads the rubric.',
    'A judge is refused that is the session it judges.',
    'A judge reasons before it scores.',
    'Dimensions are scored one by one, and a blocking one that fails fails the whole.',
    'What wins from one place only is a tie.',
    'Every verdict has the version and the hash of its rubric.',
    'Another model or rubric than the calibrated one is marked uncalibrated.',
    'A judge cannot be calibrated on cases of its suite.',
    'The rubric stands before the evidence.',
    'A reply that does not fit is asked for again, and one that cannot be read is never a pass.',
    'A judge has no tools and changes nothing.',
  ],
};
