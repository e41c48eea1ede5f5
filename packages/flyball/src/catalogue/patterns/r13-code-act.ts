import type { PatternSpec } from '../types.js';

export const r13: PatternSpec = {
  id: 'R13',
  name: 'CodeAct',
  category: 'reasoning',
  band: 'tool loops',
  purpose: 'Acts by short programs that call several tools, branch, and keep intermediate values out of the prompt.',
  whenNot: 'Not without a sandbox, and not for models that write code badly.',
  mechanisms: ['M2', 'M7'],
  exports: ['codeAct'],
  kind: 'agent',
  isLoop: true,
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    maxIterations: {
      range: [8, 20],
      source: 'catalogue',
    },
    blockMs: {
      default: 10000,
      source: 'catalogue',
    },
    cpuMs: {
      default: 5000,
      source: 'catalogue',
    },
    memoryMb: {
      default: 512,
      source: 'catalogue',
    },
  },
  calls: {
    times: [
      {
        fact: 'turns',
        least: 0,
        most: {
          param: 'maxIterations',
        },
      },
      {
        part: 'worker',
      },
    ],
  },
  bounds: ['maxIterations', 'blockMs', 'costUsd', 'wallMs'],
  failures: [
    {
      sign: 'A program never ends',
      end: 'bounded',
    },
    {
      sign: 'The same broken program comes again',
      end: 'bounded',
    },
    {
      sign: 'The model writes code badly',
      end: 'fallback',
    },
    {
      sign: 'A program was injected',
      end: 'blocked',
    },
    {
      sign: 'The goal is lost',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V8'],
      when: 'always',
      why: 'Code that a model wrote runs in a sandbox or not at all.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V11'],
      when: 'always',
      why: 'Errors of programs are long and repeat.',
      table: 'B5',
    },
  ],
  clauses: [
    'Without a sandbox it is refused, and an evaluator in the same process is none.',
    'Text after the program is dropped.',
    'What the model reads comes from the sandbox alone.',
    'Error traces are passed on unchanged.',
    'Variables last from block to block of a run and are gone in the next run.',
    'A broken limit is something the model reads.',
    'Tool results reach the prompt only when they are printed or returned.',
    'The loop and each block have limits.',
    'Every block is in the journal.',
  ],
};
