import type { PatternSpec } from '../types.js';

export const v1: PatternSpec = {
  id: 'V1',
  name: 'Human-in-the-Loop',
  category: 'reliability',
  band: 'safety and security',
  purpose: 'Stops before an action whose mistake costs more than waiting, and goes on only when a person says so.',
  whenNot: 'Not for reversible actions that happen often: people stop reading.',
  mechanisms: ['M7'],
  exports: ['needsApproval'],
  kind: 'guard',
  seats: {
    classifier: {
      tools: 'none',
    },
    summarizer: {
      tools: 'none',
    },
  },
  params: {
    timeoutMs: {
      source: 'ours',
    },
    blastRadius: {
      default: 4,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['timeoutMs'],
  failures: [
    {
      sign: 'People approve without reading',
      end: 'flagged',
    },
    {
      sign: 'The action cannot be explained',
      end: 'refused',
    },
    {
      sign: 'The process dies while waiting',
      end: 'retried',
    },
  ],
  relations: [
    {
      kind: 'tension',
      to: ['V2'],
      when: 'both',
      why: 'Each kind of action is mapped by how far it can be undone and how much it touches.',
      table: 'B4',
      resolvedBy: 'actions-mapped',
    },
    {
      kind: 'requires',
      to: ['V10'],
      when: 'always',
      why: 'Waiting for a person means stopping and going on.',
      table: 'B5',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Approvals are evidence.',
      table: 'B5',
    },
  ],
  clauses: [
    'A condition of `needsApproval` can only add approvals: what the effect class or another guard wants approved stays so.',
    'A request for approval says action, reason, expected effect, undo and alternatives in words.',
    'A call that nobody decides about in time is refused and not made.',
    'A rejection without a reason is refused.',
    'Arguments that a person changed pass the guard again.',
    'An escalation ends with a verdict or, past the last level, with a refusal in the journal.',
    'Nothing is executed twice after a run is resumed.',
  ],
};
