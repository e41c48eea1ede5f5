import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
let everything: string;
beforeAll(async () => {
  stage = await serverStage();
  everything = await stage.keyFor('ada', ['agents:invoke', 'tools:execute']);
});
afterAll(() => stage.close());

const open: Client[] = [];
afterEach(async () => {
  for (const client of open.splice(0)) await client.close();
});

async function clientWith(key: string, mode: 'auto' | 'legacy' = 'auto'): Promise<Client> {
  const client = new Client({ name: 'tester', version: '1' }, { versionNegotiation: { mode } });
  const headers = { authorization: `Bearer ${key}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${stage.url}/mcp`), { requestInit: { headers } }));
  open.push(client);
  return client;
}

const names = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

describe('the MCP endpoint of a server', () => {
  it.each(['auto', 'legacy'] as const)(
    'lists agents and tools to a client and runs what it calls (%s) [R6-MCP-SERVE] [R6-SHOW-MCP]',
    async (mode) => {
      const client = await clientWith(everything, mode);
      expect(await names(client)).toEqual([
        'agent__desk',
        'agent__plain',
        'agent__payer',
        'agent__waiter',
        'agent__counter',
        'tide',
        'pay_out',
      ]);
      const answer = await client.callTool({ name: 'agent__desk', arguments: { question: 'tides in Bergen' } });
      expect(answer.isError ?? false).toBe(false);
      const { runId } = answer.structuredContent as { readonly runId: string };
      expect(await stage.engine.get(runId)).toMatchObject({ tenant: 'ada', agent: 'desk', status: 'done' });
      const tide = await client.callTool({ name: 'tide', arguments: { port: 'Bergen' } });
      expect(JSON.stringify(tide.content)).toContain('06:40');
    },
  );

  it('offers what the credential may do and nothing else [R6-MCP-SERVE] [R6-ACCESS-SCOPES]', async () => {
    const tools = await clientWith(await stage.keyFor('ada', ['tools:execute']));
    expect(await names(tools)).toEqual(['tide', 'pay_out']);
    await expect(tools.callTool({ name: 'agent__plain', arguments: { question: 'hello' } })).rejects.toThrow();
    await expect(clientWith(await stage.keyFor('ada', ['agents:read']))).rejects.toThrow();
    await expect(clientWith('fb_nobodyxx_nothing')).rejects.toThrow();
  });

  it('says that a call waits for a person, with the run [R6-MCP-SERVE]', async () => {
    const client = await clientWith(everything);
    const answer = await client.callTool({ name: 'agent__payer', arguments: { input: { amount: 2 } } });
    expect(answer.structuredContent).toMatchObject({ status: 'suspended' });
  });

  it('answers the same client after the server was away [R6-MCP-DROPPED] [R6-SHOW-MCP]', async () => {
    const client = await clientWith(everything);
    expect((await names(client)).length).toBe(7);
    const { port } = new URL(stage.url);
    await stage.again({ settings: { port: Number(port) } });
    await names(client).catch(() => undefined); // it may find out on this one that its socket is gone
    expect((await names(client)).length).toBe(7);
  });

  it('holds a call to the limits of its key [R6-ACCESS-COST]', async () => {
    const client = await clientWith(await stage.keyFor('poor', ['agents:invoke'], { limits: { costUsdPerDay: 0 } }));
    const answer = await client
      .callTool({ name: 'agent__plain', arguments: { question: 'hello' } })
      .catch((error: unknown) => ({ isError: true, error }));
    expect(answer.isError).toBe(true);
  });
});
