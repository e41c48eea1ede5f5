import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { type Agent, budget, createRuntime, done } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { said } from './served.js';
import { folder, openPool, until } from './stage.js';

const dist = (file: string): string => pathToFileURL(join(root, 'packages/flyball/dist', file)).href;

const AGENTS = `
import { appendFileSync } from 'node:fs';
import { done } from '${dist('index.js')}';
import { tool } from '${dist('tools/index.js')}';

console.log('this must not get into the protocol');
const note = (text) => appendFileSync(process.env.NOTES, text + '\\n');

export const tools = [
  tool({ name: 'add', description: 'Adds. Not for text.', effect: 'pure', legs: [],
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
    execute: async ({ a, b }) => { console.log('adding'); process.stdout.write('still adding\\n'); return a + b; } }),
  tool({ name: 'pay', description: 'Pays. Not for refunds.', effect: 'irreversible',
    execute: async () => { note('paid'); return 'paid'; } }),
];
export const agents = {
  greeter: async (run, input) => done('hello ' + input),
  buyer: async (run) => done((await run.call(tools[1], {})).content),
  endless: async (run) => {
    note('endless ' + process.pid);
    await run.step('work', null, (_, { signal }) => new Promise((resolve) => {
      const timer = setInterval(() => {}, 1000);
      signal.addEventListener('abort', () => { clearInterval(timer); note('stopped'); resolve(null); });
    }), 'pure');
    return done('never');
  },
};
`;

/** The command as a client's configuration starts it. */
function command() {
  const at = folder();
  const file = join(at, 'agents.mjs');
  writeFileSync(file, AGENTS);
  const [database, notes] = [join(at, 'runs.db'), join(at, 'notes')];
  writeFileSync(notes, '');
  const args = [join(root, 'packages/flyball/dist/cli/main.js'), 'mcp', file, '--db', database];
  return { args, notes, database, env: { NOTES: notes } };
}

async function clientOf(given: ReturnType<typeof command>, mode: 'auto' | 'legacy') {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: given.args,
    env: given.env,
    stderr: 'pipe',
  });
  let heard = '';
  transport.stderr?.on('data', (chunk: unknown) => {
    heard += String(chunk);
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return { client, transport, heard: () => heard };
}

const notesIn = (path: string): string => readFileSync(path, 'utf8');

function isGone(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** A run in the same database that is due, of an agent whose name the file has too. */
async function runOfOtherCode(path: string): Promise<string> {
  const engine = await sqliteEngine({ path });
  const greeter: Agent<null, string> = async (run) => {
    await run.wait({ name: 'go' });
    return done('of other code');
  };
  const runtime = createRuntime({ engine, agents: { greeter }, options: { worker: false } });
  const { id, outcome } = await runtime.start('greeter', null, { budget: budget({}) });
  expect(await outcome()).toMatchObject({ stop: 'suspended' });
  await runtime.close();
  await createRuntime({ engine, agents: {}, options: { worker: false } }).signal(id, 'go');
  await engine.close();
  return id;
}

describe('flyball mcp', () => {
  it("serves agents and tools of a file to the SDK's own client, and keeps what they print out of the protocol [R6-MCP-SERVE] [R6-SHOW-MCP]", async () => {
    const given = command();
    const foreign = await runOfOtherCode(given.database);
    const { client, transport, heard } = await clientOf(given, 'auto');
    expect(client.getProtocolEra()).toBe('modern');
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(['agent__greeter', 'agent__buyer', 'agent__endless', 'add', 'pay']);
    expect(said(await client.callTool({ name: 'add', arguments: { a: 2, b: 3 } }))).toBe('5');
    expect(said(await client.callTool({ name: 'agent__greeter', arguments: { input: 'you' } }))).toBe('hello you');
    for (const line of ['this must not get into the protocol', 'adding', 'still adding'])
      expect(heard()).toContain(line);

    const bought = await client.callTool({ name: 'agent__buyer', arguments: {} });
    expect(bought.structuredContent).toMatchObject({
      status: 'suspended',
      waitingFor: [{ kind: 'approval', about: 'pay' }],
    });
    const { runId } = bought.structuredContent as { readonly runId: string };

    // a call that is taken back ends its run; the client that goes ends the server
    const taken = new AbortController();
    const failing = client.callTool({ name: 'agent__endless', arguments: {} }, { signal: taken.signal });
    failing.catch(() => undefined);
    await until(() => notesIn(given.notes).includes('endless'));
    taken.abort('enough');
    await until(() => notesIn(given.notes).includes('stopped'));
    const pid = transport.pid ?? 0;
    await client.close();
    await until(() => isGone(pid), 'the server did not end with its client');

    const engine = await sqliteEngine({ path: given.database });
    onTestFinished(() => engine.close());
    expect(await engine.get(runId)).toMatchObject({ status: 'suspended', agent: 'buyer' });
    // it runs other code, which this process has not loaded, though the agent has the same name
    expect(await engine.get(foreign)).toMatchObject({ status: 'suspended' });
    const { runs } = await engine.list({ agent: 'endless' });
    expect(runs).toMatchObject([{ status: 'cancelled' }]);
  });

  it('is consumed by our own pool in the older revision, and comes back after it was killed [R6-MCP-SERVE] [R6-MCP-DROPPED]', async () => {
    const { args, env, notes } = command();
    const transport = { kind: 'stdio', command: process.execPath, args, env } as const;
    const { pool, tool } = await openPool([
      { name: 'desk', transport, handshake: 'initialize', plain: ['NOTES'], effects: { add: 'pure' } },
    ]);
    expect(pool.servers()).toMatchObject([{ protocol: '2025-11-25', seen: 5 }]);
    expect(tool('desk__add').effect).toBe('pure');
    expect(tool('desk__agent__greeter').effect).toMatchObject({ class: 'irreversible' });
    const how = { key: 'k', signal: new AbortController().signal };
    const failing = tool('desk__agent__endless').execute({} as never, how);
    failing.catch(() => undefined);
    await until(() => notesIn(notes).includes('endless'));
    process.kill(Number(/endless (\d+)/.exec(notesIn(notes))?.[1]), 'SIGKILL');
    await expect(failing).rejects.toMatchObject({ code: 'EFFECT_IN_DOUBT' });
    expect(await tool('desk__add').execute({ a: 4, b: 4 } as never, how)).toMatchObject({ text: '8' });
  });
});
