import type { PatternSpec } from '../types.js';

export const v6: PatternSpec = {
  id: 'V6',
  name: 'Prompt Injection Shield',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Marks, screens and confines text from outside, so that instructions in it have no power.',
  whenNot: 'Not alone where private data and a way out are at hand.',
  mechanisms: ['M7', 'M12'],
  exports: ['injectionShield'],
  kind: 'guard',
  seats: {
    detector: {
      tools: 'none',
      apartFrom: ['agent'],
      otherModel: 'required',
    },
  },
  params: {
    spotlight: {
      default: 'delimit',
      source: 'catalogue',
    },
    sanitize: {
      default: 0.3,
      source: 'ours',
    },
    refuse: {
      default: 0.8,
      source: 'ours',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'The attack is worded in a new way',
      end: 'flagged',
    },
    {
      sign: 'The canary leaks',
      end: 'blocked',
    },
    {
      sign: 'The detector is down',
      end: 'blocked',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['V3'],
      when: 'both',
      why: 'Audit first.',
      table: 'B5',
      resolvedBy: 'audit-first',
    },
  ],
  clauses: [
    'Markers derive from a secret and differ between runs.',
    'Text that holds the marker of its run loses it.',
    'Text that was cleaned leaves an entry in the journal.',
    'Text that passed the screen leaves an entry too.',
    'After every text from outside the task is anchored again, last.',
    'The tools of a turn are only those that the task needs.',
    'A canary is stopped in call arguments and in answers.',
    'The detectors of the shield are code, never the model of the agent.',
  ],
};
