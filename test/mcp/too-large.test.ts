import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MessageTooLarge } from '../../packages/flyball/src/adapters/mcp-client/bounded-fetch.js';
import { callFailure, fateOf } from '../../packages/flyball/src/adapters/mcp-client/failure.js';
import { loadClientSdk } from '../../packages/flyball/src/adapters/mcp-client/sdk.js';
import { blanking } from '../../packages/flyball/src/adapters/mcp-client/secrets.js';
import { callOnce, openPool } from './stage.js';

/** More than a message may have, so that a client that reads on would never end. */
const ENDLESS = 64;

/** A server that answers a call with text that goes on and on. */
async function endlessServer(type: 'application/json' | 'text/event-stream', lineEnd = '') {
  let sent = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece) => {
      body += String(piece);
    });
    request.on('end', () => {
      const { id, method, params } = JSON.parse(body === '' ? '{}' : body);
      const say = (result: object): void => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
      };
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (method === 'initialize')
        return say({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'evil', version: '1' },
        });
      const inputSchema = { type: 'object', properties: {} };
      if (method === 'tools/list')
        return say({ tools: [{ name: 'look', description: 'Looks something up.', inputSchema }] });
      if (method !== 'tools/call') return void response.writeHead(id === undefined ? 202 : 404).end();
      response.writeHead(200, { 'content-type': type });
      const begin = `{"jsonrpc":"2.0","id":${id},"result":{"content":[{"type":"text","text":"`;
      response.write(type === 'application/json' ? begin : `data: ${begin}`);
      const more = (): void => {
        while (sent < ENDLESS && !response.destroyed) {
          sent++;
          const piece = lineEnd === '' ? 'a'.repeat(1 << 20) : `${lineEnd}data: `.repeat((1 << 20) / 8);
          if (!response.write(piece)) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, sent: () => sent };
}

const SAID = /sent a message of more than 8388608 bytes, which was not read to its end/;

describe('a message of an MCP server that is too large', () => {
  it.each([
    ['application/json', ''],
    ['text/event-stream', ''],
    ['text/event-stream', '\r\n'],
  ] as const)('is not received, and the call says so: %s %j [R19-MCP-TOO-LARGE]', async (type, lineEnd) => {
    const { url, sent } = await endlessServer(type, lineEnd);
    const spec = { name: 'evil', transport: { kind: 'http', url }, handshake: 'initialize' } as const;
    const pure = await openPool([{ ...spec, effects: { '*': 'pure' } }]);
    const { result } = await callOnce(pure.tool('evil__look'));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: 'EFFECT_FAILED', retryable: false, message: expect.stringMatching(SAID) },
    });
    expect(sent()).toBeLessThan(ENDLESS);
  });

  it('leaves open whether an act took place [R19-MCP-TOO-LARGE]', async () => {
    const fate = fateOf(await loadClientSdk(), new MessageTooLarge(), blanking([]));
    expect(callFailure('evil', fate, false)).toMatchObject({
      code: 'EFFECT_IN_DOUBT',
      message: expect.stringMatching(SAID),
    });
  });

  it('is not received over stdio either [R19-MCP-TOO-LARGE]', async () => {
    const script = `
      process.stdin.on('end', () => process.exit());
      const say = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
      require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (method === 'initialize')
          say(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'e', version: '1' } });
        if (method === 'tools/list')
          say(id, { tools: [{ name: 'look', description: 'Looks something up.', inputSchema: { type: 'object', properties: {} } }] });
        if (method === 'tools/call') setInterval(() => process.stdout.write('a'.repeat(1 << 20)), 1);
      });`;
    const transport = { kind: 'stdio', command: process.execPath, args: ['-e', script] } as const;
    const { tool } = await openPool([{ name: 'evil', transport, handshake: 'initialize', effects: { '*': 'pure' } }]);
    const { result } = await callOnce(tool('evil__look'));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: 'EFFECT_FAILED', message: expect.stringMatching(SAID) },
    });
  });
});
