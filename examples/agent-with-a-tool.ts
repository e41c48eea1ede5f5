import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { modelServer } from 'flyball/testing';

/** The agent of the README: the code below runs as it stands, here with a local model server that needs no API key. */
const folder = mkdtempSync(join(tmpdir(), 'flyball-agent-'));
process.chdir(folder); // where runs.db goes
const server = await modelServer({
  replies: [
    { toolCalls: [{ id: 'c1', name: 'weather', arguments: '{"city":"Bergen"}' }] },
    '{"advice":"Take an umbrella."}',
    '{"advice":"Take an umbrella: it rains in Bergen."}',
  ],
});
process.env['FLYBALL_MODEL'] = 'ollama/llama3.2';
process.env['OLLAMA_HOST'] = server.url;

// #region agent
import { budget, createModels, createRuntime } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { defineAgent } from 'flyball/agents';
import { tool } from 'flyball/tools';
import { z } from 'zod';

const weather = tool({
  name: 'weather',
  description: "Today's weather in a city. Not for forecasts.",
  input: z.object({ city: z.string() }),
  effect: 'pure', // safe to repeat after a crash; required for every tool
  execute: async ({ city }) => (city === 'Bergen' ? 'rain' : 'sun'),
});
const models = await createModels({ env: process.env }); // FLYBALL_MODEL=openai/gpt-4.1-mini, ollama/llama3.2, …
const guide = defineAgent({
  name: 'guide',
  description: 'You tell people what to bring today.',
  model: models.forRole('guide'),
  tools: [weather],
  outputs: { advice: { type: 'string', description: 'one sentence' } },
});

const runtime = createRuntime({ engine: await sqliteEngine({ path: 'runs.db' }), agents: { guide } });
const handle = await runtime.start('guide', 'Going to Bergen.', { budget: budget({ modelCalls: 6, costUsd: 0.05 }) });
const outcome = await handle.outcome();
console.log(outcome.stop === 'done' ? outcome.value.output.advice : outcome);
await runtime.close();
// #endregion

assert(outcome.stop === 'done');
const { output, iterations, termination } = outcome.value;
assert.deepEqual(output, { advice: 'Take an umbrella: it rains in Bergen.' });
assert.deepEqual([iterations, termination], [3, 'completed']);
server.assertFinished();

await server.close();
rmSync(folder, { recursive: true });
