import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../../scripts/files.mjs';
import { type ServerStage, serverStage } from '../server/stage-server.js';
import { hasPackages, hasPython, NODE_PEERS, runPython } from './peers.js';

let stage: ServerStage;
let key: string;
let command: readonly string[];
beforeAll(async () => {
  stage = await serverStage({ settings: { requestTimeoutMs: 2_000 } });
  key = await stage.keyFor('default', ['admin']);
  const file = join(stage.folder, 'agents.mjs');
  writeFileSync(file, AGENTS);
  command = [join(root, 'packages/flyball/dist/cli/main.js'), 'mcp', file, '--db', join(stage.folder, 'stdio.db')];
});
afterAll(() => stage.close());

/** What the server of the stage has, in a file for `flyball mcp`. */
const dist = (file: string): string => pathToFileURL(join(root, 'packages/flyball/dist', file)).href;
const AGENTS = `
import { done } from '${dist('index.js')}';
import { tool } from '${dist('tools/index.js')}';
export const tools = [
  tool({ name: 'tide', description: 'High water. Not for rivers.', effect: 'pure', legs: [],
    input: { type: 'object', properties: { port: { type: 'string' } }, required: ['port'], additionalProperties: false },
    execute: async ({ port }) => 'high water in ' + port + ' at 06:40' }),
  tool({ name: 'pay_out', description: 'Pays. Not for refunds.', effect: 'irreversible',
    input: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'], additionalProperties: false },
    execute: async () => 'paid' }),
];
export const agents = {
  counter: async (run, { to, pauseMs }) => {
    for (let n = 1; n <= to; n++)
      await run.step('count-' + n, n, () => new Promise((resolve) => setTimeout(() => resolve(n), pauseMs)), 'pure');
    return done(to);
  },
};
`;

const TIDE = 'high water in Bergen at 06:40';

/** Our server is made with @modelcontextprotocol/server 2; this is version 1 of the SDK, another package and protocol. */
describe.skipIf(!hasPackages('@modelcontextprotocol/sdk'))('the MCP SDK of version 1 for TypeScript', () => {
  const part = (name: string) =>
    import(pathToFileURL(join(NODE_PEERS, 'node_modules/@modelcontextprotocol/sdk/dist/esm', name)).href);
  const overHttp = async () => {
    const { StreamableHTTPClientTransport } = await part('client/streamableHttp.js');
    const requestInit = { headers: { authorization: `Bearer ${key}` } };
    return new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), { requestInit });
  };
  const overStdio = async () => {
    const { StdioClientTransport } = await part('client/stdio.js');
    return new StdioClientTransport({ command: process.execPath, args: [...command], stderr: 'ignore' });
  };

  /** How the run of the last call of `counter` stands. */
  const counting = async () => (await stage.call('GET', '/v1/runs?agent=counter', { key })).body.runs[0]?.status;

  it.each([
    ['HTTP', overHttp],
    ['stdio', overStdio],
  ])('lists, calls, fails, follows and takes back over %s [R8-CLIENTS-MCP]', async (name, transport) => {
    const { Client } = await part('client/index.js');
    const client = new Client({ name: 'stranger', version: '1' });
    await client.connect(await transport());
    try {
      expect(client.getServerVersion()).toMatchObject({ name: 'flyball' });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }: { name: string }) => name)).toEqual(
        expect.arrayContaining(['tide', 'agent__counter']),
      );
      const progress: unknown[] = [];
      const onprogress = (told: unknown) => progress.push(told);
      const call = (name: string, args: object, how = {}) =>
        client.callTool({ name, arguments: args }, undefined, { timeout: 60_000, ...how });
      expect((await call('tide', { port: 'Bergen' }, { onprogress })).content[0].text).toContain(TIDE);
      expect(progress.length).toBeGreaterThan(0);
      expect(await call('tide', { harbor: 3 })).toMatchObject({ isError: true });
      await expect(call('nothing', {})).rejects.toMatchObject({ code: -32602 });
      expect((await call('pay_out', { amount: 3 })).content[0].text).toMatch(/approv|waits|person/i);
      const given = AbortSignal.timeout(1_500);
      await expect(call('agent__counter', { input: { to: 500, pauseMs: 50 } }, { signal: given })).rejects.toThrow();
      expect((await call('tide', { port: 'Oslo' })).content[0].text).toContain('Oslo');
    } finally {
      await client.close();
    }
    // this revision keeps no session over HTTP: the call is over for the server when the connection is
    if (name === 'HTTP') await expect.poll(counting).toBe('cancelled');
  });
});

describe.skipIf(!hasPython('mcp'))('the mcp package for Python', () => {
  const UNDERSTOOD = {
    server: 'flyball',
    tools: expect.arrayContaining(['tide', 'pay_out', 'agent__counter']),
    answer: expect.stringContaining(TIDE),
    progress: true,
    misfit: ['result', true],
    unknown: ['error', -32602],
    asks: expect.stringMatching(/approv|waits|person/i),
    given_up: true,
    after: expect.stringContaining('Oslo'),
  };
  const tools = resolve('test/clients/python/tools.py');

  it.each(['HTTP', 'stdio'])('does the same over %s, in both of its protocols [R8-CLIENTS-MCP]', async (name) => {
    const env = name === 'HTTP' ? { URL: stage.url, KEY: key } : {};
    const { output } = await runPython('python', [tools, process.execPath, ...command], { env });
    const last = output.trim().split('\n').at(-1) ?? '';
    expect(last.startsWith('[') ? JSON.parse(last) : output).toEqual([UNDERSTOOD, UNDERSTOOD]);
  });
});
