import type { PatternSpec } from '../types.js';

export const i3: PatternSpec = {
  id: 'I3',
  name: 'MCP Server',
  category: 'integration',
  band: 'protocol',
  purpose:
    'Offers and uses tools through a standard server that can be discovered, and pays for their schemas on purpose.',
  whenNot: 'Not for one client, and not where a command line does the same.',
  mechanisms: ['M1', 'M2'],
  exports: ['openMcpPool', 'serveMcpStdio'],
  kind: 'tool',
  seats: {
    worker: {
      tools: 'any',
    },
  },
  params: {
    serverTokens: {
      default: 55000,
      source: 'catalogue',
    },
    totalTokens: {
      default: 60000,
      source: 'catalogue',
    },
  },
  calls: 0,
  bounds: ['totalTokens'],
  failures: [
    {
      sign: 'The schemas are over budget',
      end: 'refused',
    },
    {
      sign: 'A schema changed',
      end: 'flagged',
    },
    {
      sign: 'A server dies',
      end: 'flagged',
    },
    {
      sign: 'A command line would be cheaper',
      end: 'flagged',
    },
  ],
  relations: [
    {
      kind: 'requires',
      to: ['V13'],
      when: 'always',
      why: "A server's schemas can fill the window.",
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V14'],
      when: 'always',
      why: 'Every call to a server is recorded.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V3'],
      when: 'always',
      why: 'Servers that are safe alone may be unsafe together.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V6'],
      when: {
        fact: 'third-party-content',
      },
      why: 'The author of the content may have written instructions.',
      table: 'B1',
    },
    {
      kind: 'requires',
      to: ['V8'],
      when: {
        fact: 'code-execution',
      },
      why: 'Code is confined while it runs.',
      table: 'B1',
    },
    {
      kind: 'tension',
      to: ['V13'],
      when: 'always',
      why: "Measure what the servers' schemas cost, and keep the list short.",
      table: 'B4',
      resolvedBy: 'schema-measured',
    },
    {
      kind: 'tension',
      to: ['I6'],
      when: 'both',
      why: 'There are two boundaries of context: choose a model for each.',
      table: 'B4',
    },
    {
      kind: 'tension',
      to: ['I4'],
      when: {
        fact: 'cli-exists',
      },
      why: 'Prefer the command line unless credentials, types or the lack of a program say otherwise.',
      table: 'B4',
    },
  ],
  clauses: [
    'Tools of servers are admitted before any model is asked.',
    'No credential is in a description, result, error, event or journal.',
    'The trifecta is judged over all tools together.',
    'A server in another version than its pin is not used.',
    'Tools are read again with every new connection.',
    'The hash of each tool is kept, and what is pinned is held to it.',
    'A server offers at most what is admitted.',
  ],
};
