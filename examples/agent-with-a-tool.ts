import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
// #region imports
import { budget, createModels, createRuntime, systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { defineAgent } from 'flyball/agents';
import { governance, tool } from 'flyball/tools';
import { z } from 'zod';
// #endregion

import { modelServer } from 'flyball/testing';

const folder = mkdtempSync(join(tmpdir(), 'flyball-agent-'));
// a local model server with scripted replies, so that no API key is needed
const server = await modelServer({
  replies: [
    { toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Bergen"}' }] },
    '{"advice":"Take an umbrella."}',
    '{"advice":"Take an umbrella: it rains in Bergen."}',
  ],
});
const env = { FLYBALL_MODEL: 'ollama/llama3.2', OLLAMA_HOST: server.url };

// #region agent
const weather = tool({
  name: 'weather',
  description: "Today's weather in a city. Not for forecasts.",
  input: z.object({ city: z.string().describe('name of the city') }), // zod, any Standard Schema, or plain JSON Schema
  effect: 'pure', // required: says whether a call can be repeated or undone
  execute: async ({ city }) => (city === 'Bergen' ? 'rain' : 'sun'),
});

const models = await createModels({ env }); // FLYBALL_MODEL=ollama/llama3.2, openai/gpt-4.1-mini, anthropic/…
const guide = defineAgent({
  name: 'guide',
  description: 'You tell people what to bring today.',
  model: models.forRole('guide'),
  tools: [weather],
  outputs: { advice: { type: 'string', description: 'one sentence' } },
});
// #endregion

// #region run
const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
const runtime = createRuntime({
  engine,
  agents: { guide },
  seams: governance({ clock: systemClock(), tools: [weather], autonomy: 'supervised' }),
});
const handle = await runtime.start('guide', 'Going to Bergen.', { budget: budget({ modelCalls: 6, toolCalls: 10 }) });
const outcome = await handle.outcome();
// #endregion

assert(outcome.stop === 'done');
const { output, iterations, termination } = outcome.value;
assert.deepEqual(output, { advice: 'Take an umbrella: it rains in Bergen.' });
assert.deepEqual([iterations, termination], [3, 'completed']);
server.assertFinished();

await runtime.close();
await engine.close();
await server.close();
rmSync(folder, { recursive: true });
console.log(`agent-with-a-tool: ${JSON.stringify(output)}`);
