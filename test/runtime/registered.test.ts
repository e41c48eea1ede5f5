import { createRuntime, done, memoryEngine } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { expect, it } from 'vitest';

const clerk = { name: 'clerk', description: 'You talk.', model: scriptedModel({}) };
const open = (agent: unknown) => createRuntime({ engine: memoryEngine(), agents: { clerk: agent } as never });

it.each([
  ['a definition', clerk],
  ['null', null],
  ['a promise', Promise.resolve(async () => done(1))],
])('%s is refused where it is registered, and not when its first run starts [R2-BAD-TYPE]', (_what, given) => {
  expect(() => open(given)).toThrow(/agents\.clerk is not an agent\. .* defineAgent first\./);
});

it.each([
  ['a function', async () => done(1)],
  ['a version', { agent: async () => done(1), version: '2' }],
  ['a defined agent', defineAgent(clerk)],
  ['a workflow', workflow({ name: 'flow', description: 'Flows.' }, async () => done(1))],
])('%s is registered [R2-BAD-TYPE]', async (_what, given) => {
  await open(given).close();
});
