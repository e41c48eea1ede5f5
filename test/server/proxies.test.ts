import { createServer, type Server, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { clientAddress } from '../../packages/server/src/access/client-address.js';
import { type ServerStage, serverStage } from './stage-server.js';

const of =
  (proxies: readonly string[], proxyHeader: 'x-forwarded-for' | 'forwarded' = 'x-forwarded-for') =>
  (peer: string, value?: string) =>
    clientAddress({ proxies, proxyHeader })(peer, new Headers(value === undefined ? {} : { [proxyHeader]: value }));

describe('where a request comes from', () => {
  it('is the peer where no proxy is named, whatever it says [F-O4]', () => {
    expect(of([])('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
    expect(of(['10.0.0.0/8'])('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  });

  it('is what the nearest named proxy says, and not what stands before it', () => {
    const client = of(['10.0.0.0/8', 'fd00::/8']);
    expect(client('10.1.2.3', '198.51.100.1')).toBe('198.51.100.1');
    expect(client('10.1.2.3', '1.1.1.1, 198.51.100.1, 10.9.9.9')).toBe('198.51.100.1');
    expect(client('::ffff:10.1.2.3', '198.51.100.1:4711')).toBe('198.51.100.1');
    expect(client('fd00::1', '[2001:db8::7]:443')).toBe('2001:db8::7');
    expect(client('10.1.2.3', '10.4.4.4')).toBe('10.4.4.4');
  });

  it('is the proxy itself where it says nothing that is an address', () => {
    const client = of(['10.0.0.0/8']);
    for (const value of [undefined, '', 'unknown', '_hidden', '1.2.3', 'a, b'])
      expect(client('10.1.2.3', value), value).toBe('10.1.2.3');
  });

  it('is read from one header only: the other one is the client’s', () => {
    const client = clientAddress({ proxies: ['10.0.0.1'], proxyHeader: 'forwarded' });
    const headers = {
      forwarded: 'for="[2001:db8::7]:80";proto=https, For=192.0.2.9;by=10.0.0.1',
      'x-forwarded-for': '1.1.1.1',
    };
    expect(client('10.0.0.1', new Headers(headers))).toBe('192.0.2.9');
    expect(client('10.0.0.1', new Headers({ 'x-forwarded-for': '1.1.1.1' }))).toBe('10.0.0.1');
  });

  it.each(['10.0.0.0/33', 'proxy.internal', '', '10.0.0.1/x'])('cannot be vouched for by %j', (proxy) => {
    expect(() => of([proxy])('10.0.0.1')).toThrow(/not the address or network of a proxy/);
  });
});

let stage: ServerStage | undefined;
let proxy: Server | undefined;
afterEach(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await stage?.close();
  [stage, proxy] = [undefined, undefined];
});

/** A real proxy in front of the server, that adds the address it was told to see. */
async function through(target: string): Promise<(client: string, key: string) => Promise<number>> {
  proxy = createServer((incoming, outgoing) => {
    const { 'x-client': client, ...headers } = incoming.headers;
    const before = headers['x-forwarded-for'];
    const forwarded = [before, client].filter((each) => each !== undefined).join(', ');
    const onward = send(
      new URL(incoming.url ?? '/', target),
      { method: incoming.method, headers: { ...headers, host: '127.0.0.1', 'x-forwarded-for': forwarded } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy?.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return async (client, key) => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/agents`, {
      headers: { authorization: `Bearer ${key}`, 'x-client': client },
    });
    await answer.text();
    return answer.status;
  };
}

it('a client behind a proxy who guesses keys locks out nobody else behind it [F-O4]', async () => {
  stage = await serverStage();
  const key = await stage.keyFor('harbor', ['agents:read']);
  await stage.again({ settings: { proxies: ['127.0.0.1'], failuresPerMinute: 5 } });
  const get = await through(stage.url);
  for (let n = 0; n < 5; n++) expect(await get('198.51.100.66', `fb_guess${n}`)).toBe(401);
  expect(await get('198.51.100.66', 'fb_guess')).toBe(429);
  expect(await get('198.51.100.7', key)).toBe(200);
  const request = stage.logged.findLast(({ what }) => what === 'request');
  expect(request?.fields).toMatchObject({ remote: '198.51.100.7', tenant: 'harbor' });
});
