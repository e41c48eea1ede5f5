import type { PatternSpec } from '../types.js';

export const s4: PatternSpec = {
  id: 'S4',
  name: 'Instruction Decomposition',
  category: 'signal',
  band: 'instruction structure',
  purpose:
    'Turns a dense request into three to seven numbered steps that one call follows, so that a miss points to a step.',
  whenNot:
    'Not where steps use tools, branch or wait for somebody, and not where the steps are only known at run time.',
  mechanisms: ['M4', 'M7'],
  exports: ['procedure'],
  kind: 'framing',
  seats: {
    answerer: {
      tools: 'none',
    },
  },
  params: {
    steps: {
      range: [3, 7],
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'Steps are skipped, merged or swapped',
      end: 'flagged',
    },
    {
      sign: 'The working shows in the answer',
      end: 'failed',
    },
    {
      sign: 'A constraint is forgotten toward the end',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'upgrades-to',
      to: ['O2'],
      when: {
        person: 'steps-need-inspection',
      },
      why: 'One prompt becomes a chain that can be looked into.',
      table: 'B3',
    },
    {
      kind: 'upgrades-to',
      to: ['R3'],
      when: {
        person: 'planning-is-its-own-call',
      },
      why: 'Planning apart is stronger and costs more.',
      table: 'B3',
    },
  ],
  clauses: [
    'It makes one request.',
    'Steps are numbered from 1 without gaps, one instruction each.',
    'The last step names the output contract, and the prompt ends by asking for that result alone.',
    'Constraints stand above the list and never inside a step.',
    'The list is setup and the input comes last.',
    'A step that needs a tool, a branch, a gate or another model is refused, and the pattern for it is named.',
    'A list made at run time is refused, and planning is named.',
    'A reply that shows its working fails unless the contract allows it.',
  ],
};
