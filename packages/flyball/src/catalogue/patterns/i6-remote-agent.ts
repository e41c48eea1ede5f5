import type { PatternSpec } from '../types.js';

export const i6: PatternSpec = {
  id: 'I6',
  name: 'A2A Delegation',
  category: 'integration',
  band: 'between agents',
  purpose: 'Hands a task to an agent across a boundary of trust with typed status, result and cancellation.',
  whenNot: 'Not within one system, and not for calls under a second.',
  mechanisms: ['M6', 'M10'],
  exports: ['remoteAgent', 'serveA2a'],
  kind: 'agent',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    idleMs: {
      source: 'catalogue',
    },
    wallMs: {
      source: 'catalogue',
    },
    maxRounds: {
      source: 'catalogue',
    },
    maxDepth: {
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      2,
      {
        part: 'worker',
      },
    ],
  },
  bounds: ['idleMs', 'wallMs', 'maxRounds', 'maxDepth'],
  failures: [
    {
      sign: 'The executor hangs',
      end: 'fallback',
    },
    {
      sign: 'The executor fails',
      end: 'retried',
    },
    {
      sign: 'The result carries instructions',
      end: 'blocked',
    },
    {
      sign: 'Agents delegate in circles',
      end: 'bounded',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['I5'],
      when: 'always',
      why: 'Nothing is delegated to an agent that nobody verified.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: 'always',
      why: 'What comes back is text from outside.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Retries, other executors and depth are capped everywhere.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V12'],
      when: 'always',
      why: 'State has to survive the way to another system.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Each event names executor, version and card.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'unknown-executor',
      },
      why: 'A person decides when caps are used up or nobody knows the executor.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V8'],
      when: {
        fact: 'untrusted-executor-acts',
      },
      why: 'What follows from an untrusted result is confined.',
      table: 'B1',
    },
  ],
  clauses: [
    'Nothing is sent without a verified card that is still valid.',
    'Every stream ends in a final state or in a timeout that cancels.',
    'Depth travels with the task and is capped everywhere.',
    'The executor checks its input.',
    'The result fits a schema.',
    'Every event names executor, version and card.',
    'Authentication follows the card.',
    'What came before is sent explicitly.',
    "Only the short result enters the caller's context.",
  ],
};
