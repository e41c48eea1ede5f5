import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { FlyballError } from 'flyball';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CERTIFICATE, KEY } from '../../../../test/security/certificate.js';
import {
  type Handler,
  inside,
  names,
  PUBLIC_ADDRESS,
  publicAt,
  type Site,
  site,
} from '../../../../test/security/network.js';
import { called } from '../../../../test/security/project.js';
import { domainRules } from '../tools/rules/domains.js';
import { type FetchResult, type WebFetchOptions, webFetchThrough, webFetchTool } from './web-fetch.js';

type Fetch = (url: string, from?: number) => Promise<FetchResult>;

/** A site that is reachable as http://example.com. */
async function web(
  handler: Handler,
  options: Partial<WebFetchOptions> = {},
): Promise<{ readonly fetch: Fetch; readonly site: Site }> {
  const made = await site(handler);
  const rules = domainRules({
    allow: ['example.com', '*.example.com'],
    allowPrivate: [`127.0.0.1:${made.port}`],
  });
  const tool = webFetchThrough({ rules, ...options }, { resolver: names(), connect: publicAt(made.port) });
  const fetch: Fetch = async (url, from) =>
    (await called(tool as never, { url, ...(from === undefined ? {} : { from }) }, 'key')) as FetchResult;
  return { fetch, site: made };
}

const says =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): Handler =>
  (_request, response) => {
    response.writeHead(200, { ...(type === '' ? {} : { 'content-type': type }), ...headers });
    response.end(body);
  };

describe('web_fetch', () => {
  it('gives a page as text, with its title and its links [R3-FETCH-CAPS]', async () => {
    const { fetch, site } = await web(
      says('text/html; charset=utf-8', '<title>T</title><h1>Hi</h1><a href="/next">on</a><script>x</script>'),
    );
    expect(await fetch('http://example.com/a?b=1#c')).toEqual({
      url: 'http://example.com/a?b=1#c',
      status: 200,
      contentType: 'text/html; charset=utf-8',
      title: 'T',
      text: '# Hi\n\n[on](http://example.com/next)',
      from: 0,
      length: 35,
      isCut: false,
    });
    expect(site.requests[0]?.url).toBe('/a?b=1'); // the fragment is nobody's business
  });

  it('says nothing about who asks, and forgets what it is told to remember', async () => {
    const { fetch, site } = await web((request, response) => {
      response.writeHead(request.url === '/' ? 302 : 200, {
        'content-type': 'text/plain',
        'set-cookie': 'id=1',
        location: '/next',
      });
      response.end('x');
    });
    await fetch('http://example.com/');
    expect(site.requests).toHaveLength(2);
    for (const { headers } of site.requests) {
      expect(Object.keys(headers).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
      expect(headers['user-agent']).toBe('flyball-web-fetch');
    }
  });

  it.each([
    ['application/json', '{"a":1}'],
    ['application/vnd.api+json', '{"a":1}'],
    ['text/markdown', '# x'],
    ['image/svg+xml', undefined],
    ['', 'plain'],
  ])('passes %s through as it is, where it is text', async (type, body) => {
    const { fetch } = await web(says(type, body ?? '<svg/>'));
    if (body === undefined) await expect(fetch('http://example.com/')).rejects.toThrow(/image\/svg\+xml/);
    else expect((await fetch('http://example.com/')).text).toBe(body);
  });

  it('refuses what is no text with its type and size, without reading it', async () => {
    const { fetch } = await web((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': '5000000' });
      response.flushHeaders();
    });
    await expect(fetch('http://example.com/')).rejects.toThrow(/is application\/pdf \(5000000 bytes\), and only text/);
    const unnamed = await web(says('', Buffer.from([1, 0, 2])));
    await expect(unnamed.fetch('http://example.com/')).rejects.toThrow(/is not text \(3 bytes\)/);
  });

  it.each([
    ['by its header', 'text/plain; charset=iso-8859-1', Buffer.from('Grüße', 'latin1')],
    ['by itself', 'text/html', Buffer.from('<meta charset="windows-1252">Grüße', 'latin1')],
    ['by a mark', 'text/plain; charset=iso-8859-1', Buffer.from('\ufeffGrüße', 'utf16le')],
    ['by no name that exists', 'text/plain; charset=klingon', Buffer.from('Grüße')],
  ])('reads the characters of a page as it says %s', async (_how, type, body) => {
    const { fetch } = await web(says(type, body));
    expect((await fetch('http://example.com/')).text).toBe('Grüße');
  });

  it.each([
    ['gzip', gzipSync('hello')],
    ['br', brotliCompressSync('hello')],
    ['deflate', deflateSync('hello')],
    ['identity', Buffer.from('hello')],
  ])('unpacks %s', async (encoding, body) => {
    const { fetch } = await web(says('text/plain', body, { 'content-encoding': encoding }));
    expect((await fetch('http://example.com/')).text).toBe('hello');
  });

  it.each([
    ['an encoding that nobody knows', 'zip', Buffer.from('x'), /compressed as "zip"/],
    ['two encodings on top of each other', 'gzip, gzip', Buffer.from('x'), /compressed as "gzip, gzip"/],
    ['damaged content', 'gzip', Buffer.from('no gzip at all'), /is damaged/],
    ['half of it', 'gzip', gzipSync('x'.repeat(1000)).subarray(0, 15), /is damaged/],
  ])('refuses %s', async (_what, encoding, body, why) => {
    const { fetch } = await web(says('text/plain', body, { 'content-encoding': encoding }));
    await expect(fetch('http://example.com/')).rejects.toThrow(why);
  });

  it('cuts a page at its bound, however small it is packed [R3-FETCH-CAPS]', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, 'a')); // 50 MB out of 50 kB
    for (const [body, encoding] of [
      [bomb, 'gzip'],
      [brotliCompressSync(Buffer.alloc(5_000_000, 'a')), 'br'],
      [Buffer.alloc(300_000, 'a'), 'identity'],
    ] as const) {
      const { fetch } = await web(says('text/plain', body, { 'content-encoding': encoding }), { maxBytes: 100_000 });
      expect(await fetch('http://example.com/')).toMatchObject({ length: 100_000, isCut: true });
    }
  });

  it('cuts a packed page that never ends and never unpacks to anything [R3-FETCH-CAPS]', async () => {
    const empty = gzipSync('').subarray(0, 10);
    const { fetch } = await web(
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
        response.write(empty);
        const filler = Buffer.from([0, 0, 0, 255, 255]); // an empty stored block
        const pump = (): void => {
          while (!response.destroyed && response.write(Buffer.concat(Array.from({ length: 2000 }, () => filler))));
          if (!response.destroyed) response.once('drain', pump);
        };
        pump();
      },
      { maxBytes: 100_000 },
    );
    expect(await fetch('http://example.com/')).toMatchObject({ text: '', isCut: true });
  });

  it.each<readonly [string, Handler]>([
    ['never answers', () => undefined],
    [
      'never ends',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'text/plain' });
        response.write('beginning');
      },
    ],
  ])('gives up on a server that %s [R3-FETCH-CAPS]', async (_what, handler) => {
    const { fetch } = await web(handler, { timeoutMs: 100 });
    await expect(fetch('http://example.com/')).rejects.toMatchObject({
      code: 'EFFECT_FAILED',
      retryable: true,
      message: expect.stringMatching(/took longer than 100 ms/),
    });
  });

  it('gives up on a resolver that never answers', async () => {
    const rules = domainRules({ allow: ['example.com'] });
    const tool = webFetchTool({ rules, timeoutMs: 50, resolver: () => new Promise(() => undefined) });
    await expect(called(tool as never, { url: 'http://example.com/' }, 'k')).rejects.toThrow(/took longer than 50 ms/);
  });

  it('ends with the call that asked for it', async () => {
    const { fetch: _, site } = await web(() => undefined);
    const rules = domainRules({ allow: [], allowPrivate: [`127.0.0.1:${site.port}`] });
    const stop = new AbortController();
    const tool = webFetchTool({ rules });
    const fetching = tool.execute({ url: `http://127.0.0.1:${site.port}/` }, { key: 'k', signal: stop.signal });
    stop.abort(new Error('cancelled by a person'));
    await expect(fetching).rejects.toThrow('cancelled by a person');
  });

  it('shows a long page in parts', async () => {
    const { fetch } = await web(says('text/plain', '0123456789'), { maxCharacters: 4 });
    const rules = domainRules({ allow: ['example.com'] });
    const { present } = webFetchTool({ rules });
    expect(await fetch('http://example.com/')).toMatchObject({ text: '0123', length: 10 });
    const second = await fetch('http://example.com/', 4);
    expect(present?.(second)).toBe(
      'http://example.com/ (status 200, characters 4 to 8 of 10). Continue with from: 8.\n\n4567',
    );
  });

  it('tells a missing page from a server that may recover', async () => {
    const missing = await web((_request, response) =>
      response.writeHead(404, { 'content-type': 'text/plain' }).end('no'),
    );
    expect(await missing.fetch('http://example.com/')).toMatchObject({ status: 404, text: 'no' });
    for (const status of [429, 500, 503]) {
      const { fetch } = await web((_request, response) => response.writeHead(status).end());
      await expect(fetch('http://example.com/')).rejects.toMatchObject({ retryable: true, detail: { status } });
    }
  });

  it('follows redirects, relative ones too, and not for ever [R3-FETCH-ALLOW]', async () => {
    const { fetch, site } = await web((request, response) => {
      const hop = Number(request.url?.slice(1));
      if (hop === 0) response.writeHead(200, { 'content-type': 'text/plain' }).end('there');
      else response.writeHead(302, { location: hop === 2 ? 'http://www.example.com/1' : String(hop - 1) }).end();
    });
    expect(await fetch('http://example.com/3')).toMatchObject({ url: 'http://www.example.com/0', text: 'there' });
    expect(site.requests.map(({ headers }) => headers.host)).toEqual([
      'example.com',
      'example.com',
      'www.example.com',
      'www.example.com',
    ]);
    await expect(fetch('http://example.com/7')).rejects.toThrow(/redirects more than 5 times/);
  });

  it('judges a redirect as if it had been asked for [R3-FETCH-ALLOW]', async () => {
    const { fetch, site } = await web((_request, response) =>
      response.writeHead(302, { location: 'http://elsewhere.net/' }).end(),
    );
    await expect(fetch('http://example.com/')).rejects.toThrow(
      /example\.com\/ redirects to http:\/\/elsewhere\.net\/, which is refused: elsewhere\.net is not an allowed domain/,
    );
    expect(site.requests).toHaveLength(1);
  });

  it('resolves a name once and connects to what it judged: a name that changes its mind gains nothing [R3-FETCH-PRIVATE]', async () => {
    const front = await site(says('text/plain', 'public'));
    const listener = await inside();
    const rules = domainRules({
      allow: ['rebind.example.com'],
      ports: [listener.port],
      allowPrivate: [`127.0.0.1:${front.port}`],
    });
    const resolver = names({ 'rebind.example.com': [[PUBLIC_ADDRESS], ['127.0.0.1']] });
    const tool = webFetchThrough({ rules }, { resolver, connect: publicAt(front.port) });
    const url = `http://rebind.example.com:${listener.port}/`;
    expect(await called(tool as never, { url }, 'k')).toMatchObject({ text: 'public' });
    await expect(called(tool as never, { url }, 'k')).rejects.toThrow(/leads to an address that is refused.*loopback/);
    expect(listener).toMatchObject({ connections: 0 });
  });

  it('looks again where a connection ended, before a byte is sent [R3-FETCH-PRIVATE]', async () => {
    const listener = await inside();
    const rules = domainRules({ allow: ['example.com'] });
    const outlets = { resolver: names(), connect: publicAt(listener.port) };
    for (const url of ['http://example.com/', 'https://example.com/']) {
      await expect(called(webFetchThrough({ rules }, outlets) as never, { url }, 'k')).rejects.toThrow(
        /connection to example\.com ended at an address that is refused: 127\.0\.0\.1/,
      );
    }
    expect(listener.bytes).toBe(0);
  });

  it('refuses a name as soon as one of its addresses is not public [R3-FETCH-PRIVATE]', async () => {
    const rules = domainRules({ allow: ['example.com'] });
    const resolver = async () => [PUBLIC_ADDRESS, '10.0.0.1'];
    const tool = webFetchTool({ rules, resolver });
    await expect(called(tool as never, { url: 'http://example.com/' }, 'k')).rejects.toThrow(/10\.0\.0\.1.*private/);
  });

  it('goes on to the next address of a name when one does not answer', async () => {
    const { port } = await site(says('text/plain', 'second'));
    const rules = domainRules({
      allow: ['example.com'],
      ports: [port],
      allowPrivate: [`127.0.0.1:${port}`, `127.0.0.2:${port}`],
    });
    const tool = webFetchTool({ rules, resolver: async () => ['127.0.0.2', '127.0.0.1'] });
    expect(await called(tool as never, { url: `http://example.com:${port}/` }, 'k')).toMatchObject({ text: 'second' });
  });

  it('does not let one address that swallows packets use up all the time', async () => {
    const { port } = await site(says('text/plain', 'second'));
    const rules = domainRules({ allow: ['example.com'], allowPrivate: [`127.0.0.1:${port}`] });
    const silent = new Socket();
    const connect = publicAt(port);
    const outlets = {
      resolver: async () => ['8.8.8.8', PUBLIC_ADDRESS],
      connect: (to: { host: string; port: number }) => (to.host === '8.8.8.8' ? silent : connect(to)),
    };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const fetching = called(webFetchThrough({ rules }, outlets) as never, { url: 'http://example.com/' }, 'k');
    await vi.advanceTimersByTimeAsync(4000);
    expect(await fetching).toMatchObject({ text: 'second' });
    expect(silent.destroyed).toBe(true);
  });

  it('speaks TLS to the name that was asked for, and to nobody else', async () => {
    const server = createTlsServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
      if (request.url === '/leave') response.writeHead(302, { location: 'http://secure.example.com/' }).end();
      else says('text/plain', 'private words')(request, response);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const rules = domainRules({
      allow: ['secure.example.com', 'other.example.com'],
      allowPrivate: [`127.0.0.1:${port}`],
    });
    const outlets = { resolver: names(), connect: publicAt(port) };
    const trusting = webFetchThrough({ rules }, { ...outlets, ca: CERTIFICATE }) as never;
    expect(await called(trusting, { url: 'https://secure.example.com/' }, 'k')).toMatchObject({
      text: 'private words',
    });
    await expect(called(trusting, { url: 'https://other.example.com/' }, 'k')).rejects.toThrow(/does not match/);
    await expect(called(trusting, { url: 'https://secure.example.com/leave' }, 'k')).rejects.toThrow(
      /redirects to http:\/\/secure\.example\.com\/, which is refused: it leaves https/,
    );
    const strict = webFetchThrough({ rules }, outlets) as never;
    await expect(called(strict, { url: 'https://secure.example.com/' }, 'k')).rejects.toThrow(/self-signed/);
  });

  it('says in words what went wrong with a name or a network', async () => {
    const rules = domainRules({ allow: ['example.com'], allowPrivate: ['127.0.0.1:1'] });
    const refused = webFetchTool({ rules });
    await expect(called(refused as never, { url: 'http://127.0.0.1:1/' }, 'k')).rejects.toMatchObject({
      message: expect.stringMatching(/127\.0\.0\.1 cannot be reached: .*ECONNREFUSED/),
      retryable: true,
    });
    const nameless = webFetchTool({ rules, resolver: async () => [] });
    await expect(called(nameless as never, { url: 'http://example.com/' }, 'k')).rejects.toThrow(/it has no address/);
    await expect(called(nameless as never, { url: 'http://example.com/' }, 'k')).rejects.toBeInstanceOf(FlyballError);
  });

  it('is pure, stands on outside text and the way out, and says where it goes', () => {
    const tool = webFetchTool({ rules: domainRules({ allow: ['example.com'] }) });
    expect(tool).toMatchObject({ effect: 'pure', legs: ['untrusted-content', 'outbound'] });
    expect(tool.touches?.({ url: 'https://example.com/' })).toEqual({ urls: ['https://example.com/'] });
    expect(() => webFetchTool({ rules: domainRules({ allow: [] }), maxBytes: 0 })).toThrow(/maxBytes is 0/);
  });
});
