import type { PatternSpec } from '../types.js';

export const i4: PatternSpec = {
  id: 'I4',
  name: 'CLI Invocation',
  category: 'integration',
  band: 'protocol',
  purpose: 'Lets a model run programs that exist, as a list of arguments, with no schema in the prompt.',
  whenNot: 'Not without a sandbox, and not for shared credentials.',
  mechanisms: ['M2'],
  exports: ['shellTool'],
  kind: 'tool',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    head: {
      default: 100,
      source: 'catalogue',
    },
    tail: {
      default: 50,
      source: 'catalogue',
    },
    timeoutMs: {
      source: 'ours',
    },
  },
  calls: 0,
  bounds: ['timeoutMs'],
  failures: [
    {
      sign: 'The arguments hold shell syntax',
      end: 'blocked',
    },
    {
      sign: 'An interpreter would run code',
      end: 'blocked',
    },
    {
      sign: 'A program hangs',
      end: 'bounded',
    },
    {
      sign: 'The error output floods the context',
      end: 'flagged',
    },
    {
      sign: 'A flag does not exist',
      end: 'retried',
    },
    {
      sign: 'The program does the wrong thing well',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V8'],
      when: 'always',
      why: 'A shell without a sandbox is another thing.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: 'always',
      why: 'Commands are checked before they run.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'Commands have a timeout and a limit of retries.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V11'],
      when: 'always',
      why: 'Error output can fill the window.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Arguments, exit code and output are the record.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'mutating-command',
      },
      why: 'Commands that destroy something wait for a person.',
      table: 'B1',
    },
    {
      kind: 'conflicts',
      to: ['profile:no-shell'],
      when: 'always',
      why: 'Where there is no shell use I2 or I3.',
      table: 'B2',
    },
  ],
  clauses: [
    'A shell tool cannot be made without a sandbox.',
    'A command is a list of words, never one string.',
    'A program that is not listed never starts.',
    'Every command is judged, those of listed programs too.',
    'The exit code reaches the model.',
    'A command that rules want approved waits for a person.',
    'Words, exit code, output and time are in the journal.',
  ],
};
