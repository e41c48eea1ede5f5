import type { PatternSpec } from '../types.js';

export const i2: PatternSpec = {
  id: 'I2',
  name: 'Function / Tool Call',
  category: 'integration',
  band: 'in the agent',
  purpose: 'Lets a model choose a typed function and its arguments, while code checks, runs and returns.',
  whenNot: 'Not above fifteen tools, and not where code can decide.',
  mechanisms: ['M1', 'M2'],
  exports: ['tool'],
  kind: 'tool',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    tools: {
      range: [1, 15],
      source: 'catalogue',
    },
    share: {
      default: 0.1,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['maxSteps'],
  failures: [
    {
      sign: 'The arguments do not fit',
      end: 'retried',
    },
    {
      sign: 'The tool does not exist',
      end: 'flagged',
    },
    {
      sign: 'There are too many tools',
      end: 'refused',
    },
    {
      sign: 'The function fails',
      end: 'flagged',
    },
    {
      sign: 'The model asks again and again',
      end: 'bounded',
    },
    {
      sign: 'The model repeats what the user dictates',
      end: 'blocked',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V13'],
      when: 'always',
      why: 'The list of tools is where the tool budget applies.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V20'],
      when: 'always',
      why: 'Arguments are checked again on our side: providers differ.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V9'],
      when: 'always',
      why: 'The loop of call and result is bounded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Every call and result is recorded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V1'],
      when: {
        fact: 'privileged-tool',
      },
      why: 'The model proposes and a person releases.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: {
        fact: 'outside-result',
      },
      why: 'A tool result is text from outside.',
      table: 'B1',
    },
    {
      kind: 'upgrades-to',
      to: ['I3'],
      when: {
        anyOf: [
          {
            measured: 'tools',
            above: 15,
          },
          {
            measured: 'shared-tools',
            above: 4,
          },
        ],
      },
      why: 'Many tools, or five that three agents share: moving costs little.',
      table: 'B3',
    },
    {
      kind: 'requires',
      to: ['S6'],
      when: 'always',
      why: 'A schema is a template that is enforced.',
      table: 'B5',
    },
  ],
  clauses: [
    'A handler runs only after its arguments were checked.',
    'A model that picks a tool executes nothing.',
    'A handler gets exactly the arguments that were parsed.',
    'A description that never says when not to use the tool is warned about.',
    'Calls and results are tied by their id.',
    'Text from outside passes the injection shield.',
  ],
};
