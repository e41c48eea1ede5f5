import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openServer } from '@flyball/server';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { tool, toolRegistry } from 'flyball/tools';
import { z } from 'zod';

/** An agent behind HTTP: invoked, followed live, held to a key and to what the key may do. */

const folder = mkdtempSync(join(tmpdir(), 'flyball-server-example-'));
const model = scriptedModel({
  tides: [
    { toolCalls: [{ id: 'c1', name: 'tide_table', arguments: '{"port":"Bergen"}' }] },
    'High water is at 06:40 and 19:05.',
    { toolCalls: [{ id: 'c2', name: 'tide_table', arguments: '{"port":"Bergen"}' }] },
    'Still at 06:40 and 19:05.',
  ],
});

// #region open
const tideTable = tool({
  name: 'tide_table',
  description: 'When the water is high today in a port. Not for other days.',
  input: z.object({ port: z.string() }),
  effect: 'pure',
  execute: async ({ port }) => `${port}: 06:40 and 19:05`,
});
const tides = defineAgent({
  name: 'tides',
  description: 'Says when the water is high.',
  model,
  tools: [tideTable],
  inputs: { question: { type: 'string', description: 'what to find out' } },
  loop: { doubleConfirmation: false },
  budget: { modelCalls: 5, toolCalls: 5, costUsd: 0.1 }, // for every run; a request may lower it
});

const engine = await sqliteEngine({ path: join(folder, 'runs.db') });
const server = await openServer({
  engine,
  groups: [{ agents: { tides }, tools: toolRegistry([tideTable]) }],
  settings: { port: 0 }, // a free port; the default is 4747
});
// #endregion

// #region invoke
const answer = await fetch(`${server.url}/v1/agents/tides/invoke-iterative`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': 'morning-1' },
  body: JSON.stringify({ inputs: { question: 'When is high water in Bergen?' }, max_iterations: 4 }),
});
const invoked = (await answer.json()) as Record<string, unknown>;
assert.equal(invoked['termination_reason'], 'completed');
assert.deepEqual(invoked['tools_used'], ['tide_table']);
// #endregion

// #region follow
const started = await fetch(`${server.url}/v1/runs`, {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ agent: 'tides', input: { question: 'And now?' }, budget: { modelCalls: 3 } }),
});
const { id } = (await started.json()) as { readonly id: string };
const kinds: string[] = [];
const events = await fetch(`${server.url}/v1/runs/${id}/events`); // send Last-Event-ID: <generation>.<seq> to continue from there
for await (const chunk of events.body ?? []) {
  const text = new TextDecoder().decode(chunk as Uint8Array);
  kinds.push(...[...text.matchAll(/^event: (\w+)/gm)].map(([, kind]) => kind ?? ''));
}
assert.equal(kinds.at(-1), 'end'); // the run has ended, and so has the stream
assert(kinds.includes('entry'));
// #endregion

// #region key
const { secret } = await server.parts.keys.create({
  name: 'reader',
  tenant: 'default',
  scopes: ['agents:read'],
  limits: { requestsPerMinute: 60, costUsdPerDay: 1 },
});
const asReader = { authorization: `Bearer ${secret}` };
assert.equal((await fetch(`${server.url}/v1/agents`, { headers: asReader })).status, 200);
assert.equal((await fetch(`${server.url}/v1/runs`, { headers: asReader })).status, 403); // not among its scopes
// #endregion

await server.close();
await engine.close();
rmSync(folder, { recursive: true, force: true });
console.log(`server: ${JSON.stringify(invoked['output'])} (${kinds.length} events of the second run)`);
