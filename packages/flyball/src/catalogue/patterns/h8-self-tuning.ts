import type { PatternSpec } from '../types.js';

export const h8: PatternSpec = {
  id: 'H8',
  name: 'Meta-Agent Self-Modification',
  category: 'humanizer',
  band: 'learning',
  purpose:
    "Tunes an agent's own settings from measurements inside a listed surface, behind a suite, a person and a way back.",
  whenNot: 'Not in safety-critical systems, and not at small scale.',
  mechanisms: ['M7', 'M10'],
  exports: ['selfTuning'],
  kind: 'agent',
  seats: {
    proposer: {
      tools: 'none',
    },
    judge: {
      tools: 'none',
      apartFrom: ['proposer'],
      otherModel: 'required',
    },
  },
  params: {
    shadowShare: {
      default: 0.1,
      source: 'ours',
    },
    cases: {
      source: 'ours',
    },
    components: {
      default: 20,
      source: 'catalogue',
    },
  },
  calls: {
    sum: [
      {
        part: 'proposer',
      },
      {
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
    ],
  },
  bounds: ['cases'],
  failures: [
    {
      sign: 'It learns to please the measure',
      end: 'blocked',
    },
    {
      sign: 'Changes cause changes',
      end: 'bounded',
    },
    {
      sign: 'Thresholds creep',
      end: 'refused',
    },
    {
      sign: 'A safeguard is missing',
      end: 'refused',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['H1'],
      when: 'always',
      why: 'Identity is outside of what may be tuned.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'consequential-change',
      },
      why: 'A reviewer exists before anything is changed.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V7'],
      when: 'always',
      why: 'Policy and settings are apart.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Changes are capped, with pauses between them.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'The settings before are kept.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Every proposal is recorded, refused ones too.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V16'],
      when: 'always',
      why: 'Held-out cases keep it from pleasing its own measure.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['H5'],
      when: {
        fact: 'shared-write-surface',
      },
      why: 'Settings and principles are apart.',
      table: 'B2',
    },
    {
      kind: 'conflicts',
      to: ['H1'],
      when: {
        fact: 'shared-write-surface',
      },
      why: 'Identity is never tuned.',
      table: 'B2',
    },
    {
      kind: 'conflicts',
      to: ['V7'],
      when: {
        fact: 'shared-write-surface',
      },
      why: 'Policy is never tuned.',
      table: 'B2',
    },
    {
      kind: 'conflicts',
      to: ['profile:safety-critical'],
      when: 'always',
      why: 'A system that can harm people does not change itself.',
      table: 'B2',
    },
  ],
  clauses: [
    'Changes to principles, policy, identity, data handling, the surface, the suite, the way back or the approval rule are refused in code.',
    'The proposer sees no case and no score.',
    'Monitoring and evaluation share no data.',
    'The judge of the suite is not the live judge.',
    'A guarded measure that gets worse reverts the change by itself.',
    'Prompts, new tools, words for users and whatever was reverted before need a person.',
    'A new surface counts as consequential at first.',
  ],
};
