import type { PatternSpec } from '../types.js';

export const v10: PatternSpec = {
  id: 'V10',
  name: 'Checkpointing',
  category: 'reliability',
  band: 'operation',
  purpose:
    'Keeps the state of a run outside the process at every step, so that it can be resumed after a crash, a pause or a cap.',
  whenNot: 'Never left out.',
  mechanisms: ['M3'],
  exports: ['checkpointOf'],
  kind: 'kernel',
  seats: {},
  params: {
    overhead: {
      default: 0.01,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: [],
  failures: [
    {
      sign: 'The process dies between effect and record',
      end: 'retried',
    },
    {
      sign: 'The store is down',
      end: 'refused',
    },
    {
      sign: 'Snapshots grow',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'Only explicit state can be stored and restored.',
      table: 'B1',
    },
  ],
  clauses: [
    'What is read back equals what was written.',
    'Values that cannot be stored are refused when they are given.',
    'Code gets copies: changing one changes no journal.',
    'An agent cannot act before its intent is durable.',
    'A store in memory is refused in production.',
    'Entries before and after surround every act.',
    'A torn write leaves what was before it readable.',
    'The checkpoint holds state, the trace holds history.',
    'A database of a newer version is refused and left as it is.',
    'A corrupt entry falls back to the one before it, with an alarm.',
  ],
};
