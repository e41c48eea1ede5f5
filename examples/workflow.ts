import { strict as assert } from 'node:assert';
import { budget, createRuntime, done, memoryEngine, withoutValue } from 'flyball';
import { defineAgent, workflow } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { z } from 'zod';

/** A workflow: code that decides which registered agent is invoked with what, and a dry run of it. */

const lookUp = tool({
  name: 'look_up',
  description: 'What is known about a port. Not for the weather.',
  input: z.object({ port: z.string().describe('its name') }),
  effect: 'pure',
  execute: async ({ port }) => `${port}: three berths free`,
});
const model = scriptedModel({
  finder: [
    { toolCalls: [{ id: 'a', name: 'look_up', arguments: '{"port":"Bergen"}' }] },
    '{"facts": "three berths free in Bergen"}',
    '{"facts": "three berths free in Bergen"}', // asked whether everything is done and verified, it repeats the answer
  ],
  writer: ['{"letter": "Dear skipper, there is room in Bergen."}'],
});

// #region agents
const finder = defineAgent({
  name: 'finder',
  description: 'You find out what is known about ports.',
  inputs: { question: { type: 'string' } },
  outputs: { facts: { type: 'string' } },
  model,
  tools: [lookUp], // with tools it is invoked iteratively
  budget: { modelCalls: 8, toolCalls: 5 },
});
const writer = defineAgent({
  name: 'writer',
  description: 'You write short letters.',
  inputs: { facts: { type: 'string' } },
  outputs: { letter: { type: 'string' } },
  model, // without tools it is one model call
});
// #endregion

// #region workflow
const reply = workflow(
  {
    name: 'reply',
    description: 'Finds out, then writes a letter.',
    inputs: { question: { type: 'string', description: 'what the skipper wants to know' } },
    agents: { finder, writer },
  },
  async (run, { question }, { invokeAgent }) => {
    const found = await invokeAgent(run, 'finder', { question });
    if (found.stop !== 'done') return withoutValue(found); // bounded or failed: the workflow decides what to do
    const { facts } = found.value.output;
    const written = await invokeAgent(run, 'writer', { facts }, { slice: { modelCalls: 3 } });
    return written.stop === 'done' ? done(written.value.output.letter) : withoutValue(written);
  },
);
const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { reply, 'reply:dry': { agent: reply.dryRun, version: reply.version } },
});
// #endregion

// #region dry
const dry = await runtime.start('reply:dry', { question: 'Is there room in Bergen?' }, { budget: budget() });
const planned = await dry.outcome();
assert(planned.stop === 'done');
const report = planned.value;
assert.deepEqual(
  report.acts.map((act) => act.kind === 'agent' && [act.agent, act.mode, act.inputs, act.slice]),
  [
    ['finder', 'iterative', { question: 'Is there room in Bergen?' }, { modelCalls: 8, toolCalls: 5 }],
    ['writer', 'once', { facts: '<facts>' }, { modelCalls: 3 }], // samples are built from the declared outputs
  ],
);
assert.deepEqual(report.problems, []);
assert.equal(model.requests.length, 0); // no model was asked, no tool was called
// #endregion

// #region run
const handle = await runtime.start('reply', { question: 'Is there room in Bergen?' }, { budget: budget() });
const outcome = await handle.outcome();
assert(outcome.stop === 'done');
assert.equal(outcome.value, 'Dear skipper, there is room in Bergen.');
// #endregion
const invoked = (await runtime.entries(handle.id)).flatMap(({ event }) =>
  event.type === 'note' && event.event.kind === 'agent-invoked'
    ? [`${event.event['agent']} ${event.event['mode']}`]
    : [],
);
assert.deepEqual(invoked, ['finder iterative', 'writer once']);
model.assertFinished();
await runtime.close();
