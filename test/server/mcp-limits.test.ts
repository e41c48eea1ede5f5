import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
const key: Record<'ada' | 'ben' | 'reader', string> = { ada: '', ben: '', reader: '' };
beforeAll(async () => {
  stage = await serverStage({ settings: { maxStreams: 1, tenantLimits: { requestsPerMinute: 40 } } });
  key.ada = await stage.keyFor('house', ['agents:invoke'], { limits: { requestsPerMinute: 20 } });
  key.ben = await stage.keyFor('house', ['agents:invoke']);
  key.reader = await stage.keyFor('house', ['runs:read']);
});
afterAll(() => stage.close());

const rpc = (who: keyof typeof key, method: string, params: unknown, headers: Record<string, string> = {}) =>
  stage.call('POST', '/mcp', {
    key: key[who],
    body: { jsonrpc: '2.0', id: 1, method, params },
    headers: {
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-06-18',
      ...headers,
    },
  });
const call = (who: keyof typeof key, pauseMs: number) =>
  rpc(who, 'tools/call', { name: 'agent__counter', arguments: { input: { to: 1, pauseMs } } });

describe('the MCP endpoint is under the limits of all other requests [R6-MCP-SERVE] [R6-ACCESS-LIMITS]', () => {
  it('and one credential does not take the room of the others', async () => {
    const slow = call('ada', 600);
    await expect.poll(async () => (await stage.engine.list({ agent: 'counter' })).runs).toHaveLength(1);
    expect(await call('ada', 0)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect((await call('ben', 0)).status).toBe(200);
    expect((await slow).status).toBe(200);
    expect((await call('ada', 0)).status).toBe(200); // its place was given back
  });

  it('and tells what is left, refuses who may not, a foreign page and a large body', async () => {
    const { headers } = await rpc('ada', 'tools/list', {});
    expect(Number(headers.get('ratelimit-remaining'))).toBeLessThan(20);
    expect((await rpc('reader', 'tools/list', {})).status).toBe(403);
    expect((await stage.call('POST', '/mcp', { body: {} })).status).toBe(401);
    expect((await rpc('ada', 'tools/list', {}, { origin: 'https://evil.example' })).status).toBe(403);
    const large = await rpc('ada', 'tools/list', { padding: 'x'.repeat(1_100_000) });
    expect(large.status).toBe(413);
  });
});

describe('a batch of MCP messages counts as many requests [R8-TRIAL3-A8]', () => {
  const batch = (secret: string, count: number, version = '2025-03-26', mark = '') =>
    stage.call('POST', '/mcp', {
      key: secret,
      body: `${mark}${JSON.stringify(
        Array.from({ length: count }, (_, id) => ({
          jsonrpc: '2.0',
          id,
          method: 'tools/call',
          params: { name: 'agent__counter', arguments: { input: { to: 1 } } },
        })),
      )}`,
      headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': version },
    });
  const runs = async (tenant: string) => (await stage.engine.list({ tenant })).runs.length;

  it('and one that is more than a minute allows starts nothing', async () => {
    const five = await stage.keyFor('five', ['agents:invoke'], { limits: { requestsPerMinute: 5 } });
    for (const version of ['2025-03-26', '2025-06-18'])
      expect(await batch(five, 6, version)).toMatchObject({ status: 429, body: { code: 'RATE_LIMITED' } });
    expect(await runs('five')).toBe(0);
  });

  it.each(['\ufeff', ' \n\t', '\ufeff\r\n '])('also behind %j [R8-REST-BATCH]', async (mark) => {
    const tenant = `marked-${mark.length}-${mark.charCodeAt(0)}`;
    const five = await stage.keyFor(tenant, ['agents:invoke'], { limits: { requestsPerMinute: 5 } });
    expect((await batch(five, 6, '2025-03-26', mark)).status).toBe(429);
    expect(await runs(tenant)).toBe(0);
  });

  it('and takes as much room as its calls would take one by one', async () => {
    const other = await stage.keyFor('room', ['agents:invoke']);
    expect((await batch(other, 2)).status).toBe(429); // one call at a time: `maxStreams`
    expect(await runs('room')).toBe(0);
    expect((await batch(other, 1)).status).toBe(200);
    expect(await runs('room')).toBe(1);
  });
});
