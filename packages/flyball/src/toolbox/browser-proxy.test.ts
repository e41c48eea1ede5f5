import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { inside, names, PUBLIC_ADDRESS, publicAt, site } from '../../../../test/security/network.js';
import cases from '../../../../test/security/ssrf-cases.json' with { type: 'json' };
import { domainRules } from '../tools/rules/domains.js';
import { type CheckingProxy, checkingProxy, type Refusal } from './browser-proxy.js';

async function stage(answers: Parameters<typeof names>[0] = {}) {
  const listener = await inside();
  const front = await site((asked, answer) => {
    answer.writeHead(200, { 'content-type': 'text/plain', 'x-method': asked.method ?? '', connection: 'close' });
    asked.pipe(answer);
    if (asked.method === 'GET') answer.write('public');
  });
  const refused: Refusal[] = [];
  const proxy = await checkingProxy({
    rules: domainRules({
      allow: ['example.com', '*.example.org', '*.google.internal', 'localhost', 'app.localhost'],
      ports: [80, 443, listener.port],
      allowPrivate: [`127.0.0.1:${front.port}`],
    }),
    outlets: { resolver: names(answers), connect: publicAt(front.port) },
    methods: ['GET', 'HEAD'],
    onRefused: (refusal) => refused.push(refusal),
  });
  onTestFinished(() => proxy.close());
  return { listener, front, proxy, refused };
}

async function through(proxy: CheckingProxy, url: string, method = 'GET'): Promise<{ status: number; text: string }> {
  const asked = request({ host: '127.0.0.1', port: proxy.port, path: url, method, agent: false }).end();
  const [response] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode ?? 0, text };
}

/** The first line of the answer, and what follows when bytes are sent into the tunnel. */
async function tunnelled(proxy: CheckingProxy, authority: string, send = ''): Promise<string> {
  const socket = connect(proxy.port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
    if (send !== '' && text.endsWith('established\r\n\r\n')) socket.write(send);
  });
  socket.on('error', () => undefined);
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  await once(socket, 'close');
  return text;
}

describe('the way out of the browser', () => {
  it('carries what is allowed, in the clear and in a tunnel [R3-BROWSER]', async () => {
    const { proxy, front } = await stage();
    expect(await through(proxy, 'http://example.com/a?b')).toEqual({ status: 200, text: 'public' });
    expect(front.requests[0]).toMatchObject({ url: '/a?b', headers: { host: 'example.com' } });
    const text = await tunnelled(proxy, 'example.com:443', 'GET /secret HTTP/1.0\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 200 Connection established\r\n\r\nHTTP\/1\.1 200 OK[\s\S]*public$/);
  });

  // a browser asks in plain letters, and never sends what follows a #
  const plain = cases.filter(({ url }) => /^http:\/\/[^#\\\s\u0080-\uffff]+$/.test(url) && !url.includes('$LONG'));
  it.each(plain.filter((each) => !('redirect' in each)).map((each) => [each.name, each] as const))(
    'is closed to what leads inside: %s [R3-BROWSER] [R3-SHOW-SECURITY]',
    async (_name, { url, why, ...rest }) => {
      const { dns, fetchedBefore = 0 } = rest as { dns?: Parameters<typeof names>[0]; fetchedBefore?: number };
      const { proxy, listener, refused } = await stage(dns);
      const filledIn = url.replace('$INSIDE', String(listener.port));
      for (let n = 0; n < fetchedBefore; n++) expect(await through(proxy, filledIn)).toMatchObject({ status: 200 });
      expect(await through(proxy, filledIn)).toEqual({ status: 403, text: expect.stringContaining(why) });
      expect(refused).toEqual([{ url: filledIn, why: expect.stringContaining(why) }]);
      expect(listener.connections).toBe(0);
    },
  );

  it.each([
    ['loopback', '127.0.0.1:$INSIDE'],
    ['a name of this machine', 'localhost:$INSIDE'],
    ['a name that is not allowed', 'evil.test:443'],
    ['a port that is not allowed', 'example.com:22'],
    ['a name that leads inside', 'inside.example.org:$INSIDE'],
    ['nonsense', 'x y z'],
  ])('opens no tunnel to %s [R3-BROWSER]', async (_what, authority) => {
    const { proxy, listener } = await stage({ 'inside.example.org': [['127.0.0.1']] });
    const text = await tunnelled(proxy, authority.replace('$INSIDE', String(listener.port)));
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d |^$/);
    expect(listener.connections).toBe(0);
  });

  it('resolves a name once for each connection, and connects to what it judged [R3-BROWSER]', async () => {
    const { proxy, listener } = await stage({ 'rebind.example.org': [[PUBLIC_ADDRESS], ['127.0.0.1']] });
    const authority = `rebind.example.org:${listener.port}`;
    expect(await tunnelled(proxy, authority, 'GET / HTTP/1.0\r\n\r\n')).toMatch(/public$/);
    expect(await tunnelled(proxy, authority)).toMatch(/^HTTP\/1\.1 403/);
    expect(listener.connections).toBe(0);
  });

  it('sends nothing where only reading is allowed', async () => {
    const { proxy, front, refused } = await stage();
    expect(await through(proxy, 'http://example.com/', 'POST')).toEqual({
      status: 403,
      text: expect.stringMatching(/POST would send something/),
    });
    expect(front.requests).toEqual([]);
    expect(refused).toHaveLength(1);
  });

  it('is no server of its own', async () => {
    const { proxy } = await stage();
    expect(await through(proxy, '/etc/passwd')).toMatchObject({ status: 403 });
  });
});
