import type { Relation } from './types.js';

/** What holds for every agent, and for every pattern that repeats. */
export const everywhere: readonly Relation[] = [
  {
    from: '*agent',
    kind: 'requires',
    to: ['V9'],
    when: 'always',
    why: 'Every agent needs hard limits.',
    table: 'B1',
  },
  {
    from: '*agent',
    kind: 'requires',
    to: ['V14'],
    when: 'always',
    why: 'Without a trace nobody can debug or audit it.',
    table: 'B1',
  },
  {
    from: '*agent',
    kind: 'requires',
    to: ['V1'],
    when: {
      fact: 'irreversible-action',
    },
    why: 'Somebody has to agree before what cannot be undone.',
    table: 'B1',
  },
  {
    from: '*agent',
    kind: 'requires',
    to: ['V5'],
    when: {
      fact: 'outside-input',
    },
    why: 'Text from outside crosses four boundaries, and each needs a guard.',
    table: 'B1',
  },
  {
    from: '*loop',
    kind: 'requires',
    to: ['V9'],
    when: 'always',
    why: 'A loop without a cap never has to end.',
    table: 'B1',
  },
];
