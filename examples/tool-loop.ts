import { strict as assert } from 'node:assert';
import { budget, createRuntime, memoryEngine } from 'flyball';
import { CONFIRMATION, toolLoop } from 'flyball/loops';
import { type Script, scriptedModel } from 'flyball/testing';
import { tool } from 'flyball/tools';
import { loopTraceOf } from 'flyball/views';
import { z } from 'zod';

/** A model and its tools until there is an answer, and every way in which that can end. */

const SKY: Readonly<Record<string, string>> = { Bergen: 'rain', Oslo: 'sun' };
const weather = tool({
  name: 'weather',
  description: "Today's weather in a city. Not for forecasts.",
  input: z.object({ city: z.string().describe('its name') }),
  effect: 'pure',
  execute: async ({ city }) => SKY[city] ?? 'unknown',
});
const report = tool({
  name: 'report',
  description: 'A long report about a region. Not for cities.',
  input: z.object({ region: z.string().describe('its name') }),
  effect: 'pure',
  execute: async ({ region }) => `${region}: ${'wind and waves. '.repeat(60)}`,
});
const call = (name: string, args: object, id: string) => ({ id, name, arguments: JSON.stringify(args) });

// #region loop
const model = scriptedModel({
  planner: [
    {
      text: 'I look at both.',
      toolCalls: [call('weather', { city: 'Bergen' }, 'a'), call('weather', { city: 'Oslo' }, 'b')],
    },
    'Go to Oslo.',
    'Go to Oslo: it rains in Bergen.', // asked whether everything is done and verified, it repeats the full answer
  ],
});
const planner = toolLoop({
  session: { name: 'planner', model, setup: 'You plan days out.' },
  tools: [weather],
  config: { maxIterations: 10 }, // everything else has its default
});
const runtime = createRuntime({ engine: memoryEngine(), agents: { planner } });
// #endregion

// #region stream
const handle = await runtime.start('planner', 'Where do I go today?', { budget: budget() });
let streamed = '';
for await (const event of handle.events()) {
  if (event.type === 'text-delta') streamed += event.text;
  if (event.type === 'tool-call-delta' && event.call.name !== undefined) streamed += `[${event.call.name}]`;
  if (event.type === 'reply-restart') streamed = ''; // the attempt failed and another one starts
}
// #endregion

// #region result
const outcome = await handle.outcome();
assert(outcome.stop === 'done');
const result = outcome.value;
assert.equal(result.output, 'Go to Oslo: it rains in Bergen.');
assert.equal(result.termination, 'completed');
assert.deepEqual([result.iterations, result.toolCalls, result.toolsUsed], [3, 2, ['weather']]);
// #endregion
assert.equal(
  streamed,
  'I look at both.[weather][weather]Go to Oslo.Go to Oslo: it rains in Bergen.', // the same loop, observed
);
assert(model.promptAt('planner', 3).includes(CONFIRMATION));
const roles = model.requestsOf('planner')[1]?.messages.map(({ role, content }) => `${role}: ${content}`);
assert.deepEqual(roles?.slice(2), ['assistant: I look at both.', 'tool: rain', 'tool: sun']); // results in call order
const [trace] = loopTraceOf(await runtime.entries(handle.id));
assert.deepEqual(
  trace?.steps.map(({ actions }) => actions.length), // one step per iteration, one action per tool call
  [2, 0, 0],
);
model.assertFinished();

/** Runs one loop with scripted replies and returns the outcome. */
async function ending(replies: Script[string], options: Partial<Parameters<typeof toolLoop>[0]> = {}) {
  const scripted = scriptedModel({ worker: replies }, { capabilities: { window: 1_800, maxOutputTokens: 200 } });
  const session = { name: 'worker', model: scripted, setup: 'You work.' };
  const agent = toolLoop({ session, tools: [weather, report], ...options });
  const own = createRuntime({ engine: memoryEngine(), agents: { agent } });
  const run = await own.start('agent', 'Work.', { budget: budget() });
  const stop = await run.outcome();
  const entries = await own.entries(run.id);
  await own.close();
  return { stop, entries, model: scripted };
}

// #region bounded
const same = { toolCalls: [call('weather', { city: 'Bergen' }, 'x')] };
const circle = await ending([same, same, same]);
assert(circle.stop.stop === 'bounded'); // the third time the same call gives the same result
const partial = circle.stop.partial;
assert.equal(partial?.termination, 'loop_detected');
// #endregion

// #region limits
const many = ['a', 'b', 'c'].map((id) => call('weather', { city: id }, id));
const limited = await ending([{ toolCalls: many }, 'Done.', 'Done.'], { config: { maxToolCallsPerIteration: 2 } });
const answers = limited.model
  .requestsOf('worker')[1]
  ?.messages.flatMap(({ role, content }) => (role === 'tool' ? [content] : []));
assert.deepEqual(answers, [
  'unknown',
  'unknown',
  'Not executed: only the first 2 calls of a reply are executed; propose it again if it is still needed.',
]);
// #endregion

// #region mistakes
const bad = [
  { toolCalls: [call('wether', { city: 'Oslo' }, 'a')] }, // no such tool
  { toolCalls: [{ id: 'b', name: 'weather', arguments: '{"city": ' }] }, // not valid JSON
  { toolCalls: [call('weather', { town: 'Oslo' }, 'c')] }, // does not fit the schema
];
const failing = await ending(bad);
assert(failing.stop.stop === 'failed'); // three failures in a row; the model was told about each
assert.equal(failing.stop.partial?.termination, 'error');
// #endregion

// #region text-calls
const block = '```tool_calls\n[{"name": "weather", "arguments": {"city": "Oslo"}}]\n```';
const written = await ending([`Let me see.\n${block}`, 'Sun.', 'Sun.'], { config: { textCalls: 'json' } });
assert.equal(written.stop.stop, 'done');
// #endregion

// #region window
const regions = ['north', 'south', 'east', 'west', 'coast', 'fjord', 'fell'].map((region) => ({
  toolCalls: [call('report', { region }, region)],
}));
const long = await ending([...regions, 'Done.', 'Done.'], { config: { window: { keepRecent: 1, care: 'clear' } } });
assert.equal(long.stop.stop, 'done');
const cleared = long.entries.filter(({ event }) => event.type === 'note' && event.event.kind === 'context-cleared');
assert(cleared.length > 0); // results that were already read became stubs; recall_result returns them
// #endregion

await runtime.close();
console.log(`tool-loop: ${result.output} (${result.iterations} iterations); ${partial.why}`);
