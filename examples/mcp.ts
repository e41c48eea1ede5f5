import { strict as assert } from 'node:assert';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mcpHttpEndpoint, runtimeOffer, TOOL_CALL, toolCallAgent } from '@flyball/server/mcp';
import { createAdaptorServer } from '@hono/node-server';
import { type Agent, budget, createRuntime, done, memoryEngine } from 'flyball';
import { type McpEvent, mcpServersFromFile, openMcpPool, searchTools } from 'flyball/adapters/mcp-client';
import { defineAgent } from 'flyball/agents';
import { scriptedModel } from 'flyball/testing';
import { injectionShield, tool, toolset } from 'flyball/tools';

/** MCP both ways: tools and an agent served over HTTP, and consumed from there by another agent. */

const stock = tool({
  name: 'stock',
  description: 'Says how many of an article there are. Not for prices.',
  effect: 'pure',
  legs: [],
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  execute: async ({ article }) => ({ article, left: 3 }),
});
const order = tool({
  name: 'order',
  description: 'Orders an article. Not for asking whether there is one.',
  effect: 'irreversible',
  input: { type: 'object', properties: { article: { type: 'string' } }, required: ['article'] },
  execute: async ({ article }) => `ordered ${String(article)}`,
});
const greeter: Agent<{ readonly name: string }, string> = async (_run, { name }) => done(`Good day, ${name}.`);
const NAME = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };

// #region serve
const tools = [stock, order];
const runtime = createRuntime({
  engine: memoryEngine(),
  agents: { greeter, [TOOL_CALL]: toolCallAgent(toolset(tools)) },
});
const offer = runtimeOffer<{ readonly user: string }>({
  runtime,
  tools,
  agents: [{ name: 'greeter', description: 'Greets somebody. Not for saying goodbye.', inputSchema: NAME }],
  startedBy: ({ user }) => ({ subject: user }),
});
const endpoint = await mcpHttpEndpoint(offer, { name: 'warehouse', version: '1.2.0' });
// the code that mounts it identifies the caller
const server = createAdaptorServer({ fetch: (request) => endpoint.handle(request, { user: 'ada' }) });
// #endregion
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;

// #region consume
const events: McpEvent[] = [];
const pool = await openMcpPool(
  [{ name: 'warehouse', transport: { kind: 'http', url }, pin: '1.2.0', effects: { stock: 'pure' } }],
  { onEvent: (event) => events.push(event) },
);
assert.deepEqual(
  pool.tools().map(({ name }) => name),
  ['warehouse__agent__greeter', 'warehouse__stock', 'warehouse__order'],
);
const model = scriptedModel({
  clerk: [
    { toolCalls: [{ id: '1', name: 'warehouse__stock', arguments: '{"article":"lamp"}' }] },
    'There are 3 lamps left.',
  ],
});
const clerk = defineAgent({
  name: 'clerk',
  description: 'Answers questions about the warehouse.',
  model,
  tools: pool.tools(),
  loop: { doubleConfirmation: false },
});
// #endregion
// what a server returns is text from outside
const shield = injectionShield({ secret: 'at least sixteen characters' });
const desk = createRuntime({ engine: memoryEngine(), agents: { clerk }, seams: shield });
const run = await desk.start('clerk', 'How many lamps are left?', { budget: budget({ costUsd: 1 }) });
const outcome = await run.outcome();
assert.equal(outcome.stop, 'done');

// #region effects
const [greet, look, buy] = pool.tools();
assert.equal(look?.effect, 'pure'); // you said so; the server's own hint would not be enough
assert.deepEqual(look.legs, ['untrusted-content', 'outbound']);
assert.equal(typeof buy?.effect === 'object' && buy.effect.class, 'irreversible'); // a person approves each call
assert.equal(typeof greet?.effect === 'object' && greet.effect.class, 'irreversible'); // the default for tools you do not mention
// #endregion

// #region search
const searcher = scriptedModel({ 'tool-search': '{"tools": ["warehouse__stock"]}', worker: 'Three.' });
const finder: Agent<string, string> = async (given, task) => {
  const found = await searchTools(given, task, { model: searcher, tools: pool.tools() });
  assert.deepEqual(found.names, ['warehouse__stock']);
  return done((await given.ask({ name: 'worker', model: searcher, setup: 'Work.', tools: found.tools }, task)).text);
};
// #endregion
const found = createRuntime({ engine: memoryEngine(), agents: { finder } });
const search = await found.start('finder', 'How many lamps?', { budget: budget({ costUsd: 1 }) });
assert.equal((await search.outcome()).stop, 'done');

const folder = mkdtempSync(join(tmpdir(), 'flyball-mcp-example-'));
// #region file
const path = join(folder, 'mcp.json');
writeFileSync(
  path,
  `{
  "mcpServers": {
    "warehouse": {
      "url": "${url}",
      "headers": { "Authorization": "Bearer \${WAREHOUSE_TOKEN}" },
      "flyball": { "pin": "1.2.0", "include": ["stock"] }
    }
  }
}`,
);
const servers = await mcpServersFromFile(path, { env: { WAREHOUSE_TOKEN: 'w-5f2a91' } });
const fromFile = await openMcpPool(servers);
assert.deepEqual(
  fromFile.tools().map(({ name }) => name),
  ['warehouse__stock'],
);
// #endregion

assert.equal(events[0]?.type, 'listed');
rmSync(folder, { recursive: true, force: true });
await fromFile.close();
await pool.close();
await endpoint.close();
server.close();
for (const one of [runtime, desk, found]) await one.close();
console.log(`served ${tools.length} tools and an agent; the clerk answered over MCP`);
