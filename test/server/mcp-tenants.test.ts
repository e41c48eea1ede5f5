import { type McpOffer, mcpHttpEndpoint } from '@flyball/server/mcp';
import { tool, toolRegistry } from 'flyball/tools';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StreamSlots } from '../../packages/server/src/feed/stream-slots.js';
import { type ServerStage, serverStage } from './stage-server.js';

const slow = tool({
  name: 'slow',
  description: 'Takes its time. Not for anything.',
  input: { type: 'object', properties: { ms: { type: 'number' } }, additionalProperties: false },
  effect: 'pure',
  execute: async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    return 'rested';
  },
});

let stage: ServerStage;
beforeAll(async () => {
  stage = await serverStage({
    groups: [{ agents: {}, tools: toolRegistry([slow]) }],
    settings: { maxStreams: 4, heartbeatMs: 100 },
  });
});
afterAll(() => stage.close());

const call = (key: string, ms: number, how: { readonly version?: string; readonly signal?: AbortSignal } = {}) =>
  fetch(`${stage.url}/mcp`, {
    method: 'POST',
    ...(how.signal === undefined ? {} : { signal: how.signal }),
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': how.version ?? '2025-06-18',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'slow', arguments: { ms } } }),
  });
const runs = async (tenant: string) => (await stage.engine.list({ tenant })).runs.length;

describe('room for MCP calls', () => {
  it('is shared by a credential and the keys that it made [R19-MCP-ROOM]', async () => {
    const eve = await stage.keyFor('eve', ['admin']);
    const minted: string[] = [];
    for (let n = 0; n < 3; n++) {
      const made = await stage.call('POST', '/v1/keys', {
        key: eve,
        body: { name: `k${n}`, scopes: ['tools:execute'] },
      });
      minted.push(made.body.secret);
    }
    const gone = new AbortController();
    const open = minted.flatMap((key) => [call(key, 3_000, gone), call(key, 3_000, gone)]);
    open.forEach((one) => void one.catch(() => undefined));
    await expect.poll(() => runs('eve')).toBe(4);
    for (const key of [eve, ...minted]) {
      const refused = await call(key, 1);
      expect(refused.status).toBe(429);
      expect(await refused.text()).toMatch(/4 open streams, which is the maximum/);
    }
    expect((await call(await stage.keyFor('ada', ['tools:execute']), 1)).status).toBe(200);
    gone.abort();
  });

  it('is counted for whoever calls, until the call has ended [R19-MCP-ROOM]', async () => {
    const ends: (() => void)[] = [];
    const held = new Set<string>();
    const offer: McpOffer<string> = {
      tools: () => [{ name: 'stay', description: 'Stays. Not for else.', inputSchema: { type: 'object' } }],
      call: async () => {
        await new Promise<void>((resolve) => ends.push(resolve));
        return { ok: true, text: 'rested' };
      },
    };
    const takeRoom = (who: string) => {
      if (held.has(who)) return { because: `no room for ${who}` };
      held.add(who);
      return () => void held.delete(who);
    };
    const endpoint = await mcpHttpEndpoint(offer, { name: 'one', version: '1', maxCalls: 1, takeRoom });
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'stay', arguments: {} } };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const asked = async (who: string): Promise<string> => {
      const request = new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: JSON.stringify(body) });
      return (await endpoint.handle(request, who)).text();
    };
    const first = asked('eve');
    await expect.poll(() => ends.length).toBe(1);
    expect(await asked('eve')).toContain('BUSY: no room for eve');
    const other = asked('ada');
    await expect.poll(() => ends.length).toBe(2);
    for (const end of ends) end();
    expect(await Promise.all([first, other])).toEqual([
      expect.stringContaining('rested'),
      expect.stringContaining('rested'),
    ]);
    expect(held.size).toBe(0);
    await endpoint.close();
  });

  it('ends for a tenant before it ends for another [R19-MCP-ROOM]', () => {
    const calls = new StreamSlots({ each: 3, tenant: 4, what: 'calls under way' });
    const of = (tenant: string, id: string) => ({ id, tenant });
    for (const id of ['a', 'a', 'a', 'b']) calls.take(of('eve', id), 0);
    expect(() => calls.take(of('eve', 'c'), 0)).toThrow('This tenant has 4 calls under way, which is the maximum.');
    const leave = calls.take(of('ada', 'a'), 0);
    leave();
    leave();
    for (let n = 0; n < 3; n++) calls.take(of('ada', 'a'), 0);
    expect(() => calls.take(of('ada', 'a'), 0)).toThrow('This credential has 3 calls under way');
    const account = { id: 'a', limits: {} };
    expect(() => calls.take({ ...of('ada', 'k'), account }, 0)).toThrow('The credential that created this key');
  });
});

describe('the stream of an MCP call', () => {
  it.each(['2025-06-18', '2025-03-26'])(
    'ends at the next heartbeat after its key was revoked: %s [R19-MCP-REVOKED]',
    async (version) => {
      const tenant = `revoked-${version}`;
      const key = await stage.keyFor(tenant, ['tools:execute']);
      const answer = await call(key, 20_000, { version });
      const text = answer.text();
      await expect.poll(() => runs(tenant)).toBe(1);
      await stage.keys.revoke(key.slice(3, 11));
      expect(await text).not.toContain('rested');
      const [run] = (await stage.engine.list({ tenant })).runs;
      await expect.poll(async () => (await stage.engine.get(run?.id ?? ''))?.status).toBe('cancelled');
    },
  );
});
