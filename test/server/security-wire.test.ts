import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openGate } from '../../packages/server/src/access/open-gate.js';
import { createApp } from '../../packages/server/src/app.js';
import { type Route, route } from '../../packages/server/src/contract/route.js';
import { allRoutes } from '../../packages/server/src/routes/all-routes.js';
import { studioFiles } from '../../packages/server/src/studio-files.js';
import { openWire } from '../../packages/server/src/wire.js';
import { fittingRequest, raw, requestText, Secrets } from './security-stage.js';
import { type Logged, recordingLog, type ServerStage, serverStage } from './stage-server.js';

/** Bytes as no library would send them, against a server on loopback. */
let stage: ServerStage;
let key: string;
let routes: readonly Route[];
const secrets = new Secrets();
const LIMIT = 4_096;

beforeAll(async () => {
  stage = await serverStage({ settings: { maxBodyBytes: LIMIT, bodyTimeoutMs: 400, failuresPerMinute: 1_000_000 } });
  key = secrets.add(await stage.keyFor('acme', ['*', 'workers:control']));
  routes = allRoutes(stage.server.parts);
});
afterAll(() => stage.close());

const bearer = (): string => `Authorization: Bearer ${key}`;
const JSON_TYPE = 'Content-Type: application/json';
const send = async (text: string | readonly string[], ms?: number): Promise<string> => {
  const told = await raw(stage.server.port, typeof text === 'string' ? [text] : text, ms);
  secrets.absentFrom(told, 'an answer');
  expect(told).not.toMatch(/\n\s+at .+:\d+:\d+/);
  return told;
};
const statusOf = (told: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(told)?.[1] ?? 0);
/** Those that read a body as JSON. */
const reading = (): readonly Route[] => routes.filter(({ body }) => body !== undefined);
const post = (lines: readonly string[], body = '', path = '/v1/runs'): string =>
  requestText('POST', path, [bearer(), ...lines], body);

describe('a body [R6-ACCESS-LIMITS] [R6-SHOW-SECURITY]', () => {
  it('that announces too much is refused by every route before a byte of it is there', async () => {
    const told = await Promise.all(
      reading().map((each) => send(post([JSON_TYPE, `Content-Length: ${LIMIT + 1}`], '', fittingRequest(each).path))),
    );
    expect(told.map(statusOf)).toEqual(reading().map(() => 413));
    expect(told[0]).toMatch(/"code":"TOO_LARGE"/);
  });

  it('that is malformed or no JSON is refused by every route, and nothing of it is repeated', async () => {
    for (const each of reading()) {
      const { path } = fittingRequest(each);
      const malformed = await stage.call('POST', path, { key, body: '{"hush-body": ' });
      const { code } = each.errors === undefined ? malformed.body : malformed.body.error;
      expect([malformed.status, code], each.id).toEqual([400, 'REQUEST_INVALID']);
      expect(malformed.text).not.toContain('hush-body');
      const text = await stage.call('POST', path, {
        key,
        body: 'hush-body',
        headers: { 'content-type': 'text/plain' },
      });
      expect(text.status, each.id).toBe(415);
      const form = { 'content-type': 'application/x-www-form-urlencoded' };
      expect((await stage.call('POST', path, { key, body: 'a=1', headers: form })).status, each.id).toBe(415);
    }
  });

  it('with fields that nobody knows is refused, and their values are not repeated', async () => {
    for (const each of reading()) {
      const { path, body } = fittingRequest(each);
      const more = { ...(body as object), isAdmin: 'hush-value' };
      const answer = await stage.call('POST', path, { key, body: more });
      expect(answer.status, each.id).toBe(400);
      expect(answer.text, each.id).not.toContain('hush-value');
    }
  });

  it('that never ends is cut off at its limit, in chunks too', async () => {
    const chunk = `${(1024).toString(16)}\r\n${' '.repeat(1024)}\r\n`;
    const told = await send([
      post([JSON_TYPE, 'Transfer-Encoding: chunked']),
      ...Array.from({ length: 20 }, () => chunk),
    ]);
    expect(statusOf(told)).toBe(413);
  });

  it('that comes too slowly is refused when its time is over, and the connection closed', async () => {
    const told = await send([post([JSON_TYPE, 'Content-Length: 100']), '{"agent":']);
    expect(statusOf(told)).toBe(408);
    expect(told).toMatch(/connection: close/i);
  });

  it('is refused where there is none to be', async () => {
    const told = await send(requestText('GET', '/v1/runs', [bearer(), 'Content-Length: 2'], '{}'));
    expect(statusOf(told)).toBe(400);
  });

  it('deeper than anybody nests, of a prototype or with a name twice is refused', async () => {
    const bodies = [
      `{"agent":${'['.repeat(70)}${']'.repeat(70)}}`,
      '{"__proto__":{"admin":true},"agent":"waiter"}',
      '{"agent":"a","agent":"waiter"}',
    ];
    for (const body of bodies) {
      const answer = await stage.call('POST', '/v1/runs', { key, body });
      expect(answer.status).toBe(400);
      expect(({} as { admin?: unknown }).admin).toBeUndefined();
    }
  });
});

describe('headers [R6-SHOW-SECURITY]', () => {
  it('with a length and chunks at once are no request: nothing can be smuggled behind one', async () => {
    const smuggled = requestText('GET', '/v1/whoami', [bearer()]);
    const cases = [
      post([JSON_TYPE, 'Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${smuggled}`),
      post([JSON_TYPE, 'Content-Length: 2', 'Content-Length: 200'], `{}${smuggled}`),
      post([JSON_TYPE, 'Transfer-Encoding: xchunked'], `0\r\n\r\n${smuggled}`),
      post([JSON_TYPE, 'Transfer-Encoding: chunked, identity'], `0\r\n\r\n${smuggled}`),
      post([JSON_TYPE, 'Transfer-Encoding : chunked'], `0\r\n\r\n${smuggled}`),
      post([JSON_TYPE, 'Content-Length: +2'], `{}${smuggled}`),
    ];
    for (const text of cases) {
      const told = await send(text.replace('Connection: close\r\n', ''), 700);
      expect(told.match(/HTTP\/1\.1 \d/g)?.length ?? 0, text.slice(0, 200)).toBeLessThanOrEqual(1);
      expect(statusOf(told)).not.toBe(200);
      expect(told).not.toContain('key:');
    }
  });

  it('cannot be added to an answer by what a request says', async () => {
    const inject = '%0d%0aX-Injected:%201%0d%0a%0d%0a<script>';
    const paths = [
      `/v1/runs/${inject}`,
      `/v1/agents/${inject}`,
      `/v1/approvals/${inject}`,
      `/v1/runs?cursor=${inject}`,
      `/studio/${inject}`,
      `/${inject}`,
    ];
    for (const path of paths) {
      const told = await send(requestText('GET', path, [bearer(), 'X-Request-Id: mine']));
      const [head = ''] = told.split('\r\n\r\n');
      expect(head, path).not.toMatch(/x-injected/i);
      expect(head, path).toMatch(/^x-request-id: mine$/im); // a word is kept, for whoever traces requests
      expect(told, path).not.toMatch(/\r\nX-Injected/);
      if (!path.startsWith('/studio')) expect(head, path).not.toMatch(/^content-type: text\/html/im);
    }
  });

  it('with an idempotency key that is none are refused without repeating it', async () => {
    const body = JSON.stringify({ agent: 'waiter', input: {} });
    const length = `Content-Length: ${body.length}`;
    for (const value of ['', 'hush key', 'h\u00fcsh', 'hush'.repeat(40), 'hush\thush']) {
      const told = await send(post([JSON_TYPE, length, `Idempotency-Key: ${value}`], body));
      expect(statusOf(told), JSON.stringify(value)).toBe(400);
      expect(told).not.toMatch(/hush|h.sh/);
    }
    const cut = await send(post([JSON_TYPE, length, 'Idempotency-Key: hush\u0000hush'], body));
    expect(statusOf(cut)).toBe(400);
  });

  it('that are too large are answered, and the connection is not reset while the client is still sending [R8-REST-WIRE]', async () => {
    const text = requestText('GET', '/health', [`X-Large: ${'x'.repeat(300_000)}`]);
    const socket = connect({ port: stage.server.port, host: '127.0.0.1', allowHalfOpen: true });
    const failed: string[] = [];
    socket.on('error', ({ message }) => failed.push(message));
    let got = '';
    socket.setEncoding('utf8').on('data', (piece) => {
      got += piece;
    });
    socket.write(text.slice(0, 40_000));
    await expect.poll(() => got).toContain('HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n');
    // a connection that was reset takes one more piece at most
    for (let from = 40_000; from < text.length; from += 60_000)
      await new Promise((resolve) => socket.write(text.slice(from, from + 60_000), resolve));
    socket.end();
    await once(socket, 'close');
    expect(failed).toEqual([]);
  });

  it('that are too large, or come a letter at a time, hold nothing', async () => {
    expect(statusOf(await send(requestText('GET', '/health', [`X-Large: ${'x'.repeat(20_000)}`])))).toBe(431);
    const began = Date.now();
    const slow = await send('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ', 15_000);
    expect(statusOf(slow)).not.toBe(200);
    expect(Date.now() - began).toBeLessThan(10_000);
  });
});

describe('a page of somebody else [R6-ACCESS-CORS] [R6-SHOW-SECURITY]', () => {
  it('reaches no route under a name that was bound to this address', async () => {
    for (const each of routes) {
      const { method, path } = fittingRequest(each);
      const told = await send(requestText(method, path, [bearer()]).replace('Host: 127.0.0.1', 'Host: evil.example'));
      expect(statusOf(told), each.id).toBe(403);
      expect(told).toMatch(/"code":"ORIGIN_REFUSED"/);
    }
    for (const path of ['/studio', '/mcp', '/', '/nothing'])
      expect(statusOf(await send(requestText('GET', path, []).replace('Host: 127.0.0.1', 'Host: evil.example')))).toBe(
        403,
      );
  });

  it('reaches none from its own origin either, and no answer may be read by it', async () => {
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:1']) {
      const told = await send(requestText('GET', '/v1/runs', [bearer(), `Origin: ${origin}`]));
      expect(statusOf(told), origin).toBe(403);
      expect(told).not.toMatch(/access-control/i);
      const asked = [
        'Access-Control-Request-Method: POST',
        'Access-Control-Request-Headers: authorization',
        `Origin: ${origin}`,
      ];
      const preflight = await send(requestText('OPTIONS', '/v1/runs', asked));
      expect(statusOf(preflight)).toBe(403);
      expect(preflight).not.toMatch(/access-control/i);
    }
  });

  it('cannot use a server without keys, which its own page can', async () => {
    const open = await serverStage();
    onTestFinished(() => open.close());
    expect(open.server.open).toBe(true);
    const { port } = open.server;
    const start = (lines: readonly string[]) => {
      const body = JSON.stringify({ agent: 'waiter', input: {} });
      return raw(port, [
        requestText('POST', '/v1/runs', [JSON_TYPE, `Content-Length: ${body.length}`, ...lines], body),
      ]);
    };
    expect(statusOf(await start(['Origin: http://evil.example']))).toBe(403);
    expect(statusOf(await start(['Origin: null']))).toBe(403);
    const form = requestText(
      'POST',
      '/v1/runs',
      ['Content-Type: text/plain', 'Content-Length: 18'],
      '{"agent":"waiter"}',
    );
    expect(statusOf(await raw(port, [form]))).toBe(415); // what a form can send without being asked about it
    const rebound = requestText('GET', '/v1/runs', []).replace('Host: 127.0.0.1', 'Host: evil.example');
    expect(statusOf(await raw(port, [rebound]))).toBe(403);
    expect((await open.call('GET', '/v1/runs')).body.runs).toEqual([]);
    const own = await raw(port, [
      requestText('GET', '/v1/runs', [`Origin: http://127.0.0.1:${port}`]).replace(
        'Host: 127.0.0.1',
        `Host: 127.0.0.1:${port}`,
      ),
    ]);
    expect(statusOf(own)).toBe(200);
  });
});

describe('a Host header that is no address', () => {
  it.each(['127.999.9.9', '127.999.9.9:80', '127.0.0.1:99999', '999.1.1.1', '1.2.3.4.5', '[::1', '%00', 'a b', 'a/b'])(
    'is refused in a sentence with the usual headers, and one line in the log: %s [R19-SERVER-HOST]',
    async (host) => {
      for (const path of ['/v1/runs', '/', '/nothing']) {
        const before = stage.logged.length;
        const told = await send(requestText('GET', path, [bearer()]).replace('Host: 127.0.0.1', `Host: ${host}`));
        expect(statusOf(told), path).toBe(400);
        expect(told).toMatch(/"code":"REQUEST_INVALID"/);
        for (const header of ['x-content-type-options', 'content-security-policy', 'x-request-id', 'cache-control'])
          expect(told.toLowerCase()).toContain(`\n${header}: `);
        expect(stage.logged.slice(before)).toMatchObject([{ level: 'info', what: 'request', fields: { status: 400 } }]);
      }
    },
  );
});

it('a key in a path is not logged, nor the half of one that is cut off [R19-LOG-PATHS]', async () => {
  const mistaken = `fb_k3v7q2ma_${'Ab-1'.repeat(11).slice(1)}`;
  for (const path of [`/v1/keys/${mistaken}`, `/v1/keys/${'x/'.repeat(133)}${mistaken}`]) {
    const before = stage.logged.length;
    await send(requestText('DELETE', path, [bearer()]));
    const [{ fields } = { fields: {} }] = stage.logged.slice(before).filter(({ what }) => what === 'request');
    expect(fields).toMatchObject({ method: 'DELETE', path: expect.stringContaining('/v1/keys/') });
    expect(JSON.stringify(fields)).not.toContain(mistaken.slice(0, 20));
  }
});

describe('a path of the studio [R6-SHOW-SECURITY]', () => {
  const ODD = [
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/package.json',
    '%2e%2e%2fpackage.json',
    '%252e%252e%252fpackage.json',
    '..%5cpackage.json',
    '..\\package.json',
    'assets/../../package.json',
    'assets/%2e%2e/%2e%2e/package.json',
    '//etc/passwd',
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'file:///etc/passwd',
    'link.txt',
    'linked/secret.txt',
    'index.html%00.js',
    'index.html\u0000',
    '%00',
    '....//package.json',
    '%c0%ae%c0%ae/package.json',
    '%',
  ];

  it('leads to no file outside of its folder, nor to one that a link stands for', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'studio-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, 'studio'));
    mkdirSync(join(folder, 'outside'));
    writeFileSync(join(folder, 'package.json'), 'outside-of-it');
    writeFileSync(join(folder, 'outside', 'secret.txt'), 'outside-of-it');
    writeFileSync(join(folder, 'studio', 'index.html'), '<title>the page</title>');
    symlinkSync(join(folder, 'package.json'), join(folder, 'studio', 'link.txt'));
    symlinkSync(join(folder, 'outside'), join(folder, 'studio', 'linked'));
    const files = studioFiles(join(folder, 'studio'));
    for (const path of ODD) {
      const answer = await files(path, new Request('http://localhost/')).catch((error: unknown) => error);
      const told = answer instanceof Response ? await answer.text() : String((answer as Error).message);
      expect(told, path).not.toContain('outside-of-it');
      expect(told, path).not.toContain(folder);
      expect(told, path).toMatch(/the page|no such file/);
    }
  });

  it('gives nothing away over a socket, where nothing tidies it up before', async () => {
    for (const path of ODD) {
      const told = await send(requestText('GET', `/studio/${path}`.replaceAll('\u0000', '%00'), []));
      expect(told, path).not.toMatch(/"devDependencies"|root:x:/);
      expect([200, 301, 302, 400, 404, 503], path).toContain(statusOf(told));
    }
    const absolute = await send(
      'GET http://evil.example/studio/ HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n',
    );
    expect(absolute).not.toMatch(/location: .*evil/i);
    expect(statusOf(await send('GET /\u0000 HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n'))).toBe(400);
  });
});

it('a fault of the server is told without its words: they are in the log, under the id of the request [R6-ACCESS-NO-LEAKS]', async () => {
  const { settings, store, clock, keys, phases } = stage.server.parts;
  const logged: Logged[] = [];
  const log = recordingLog(logged);
  const broken = route({
    id: 'broken',
    method: 'get',
    path: '/broken',
    tag: 'test',
    summary: 'Fails',
    scope: undefined,
    answers: {},
    examples: [],
    handle: () => Promise.reject(new Error('hush: SELECT * FROM keys at /var/lib/secret')),
  });
  const gate = openGate({ store, clock, settings, keys, log });
  const parts = {
    gate,
    settings,
    log,
    phases,
    check: async () => undefined,
    monotonic: () => clock.monotonic(),
    observe: () => undefined,
    wire: openWire([]),
  };
  const answer = await createApp(parts, [broken], []).request('http://127.0.0.1/broken', {
    headers: { host: '127.0.0.1' },
  });
  const text = await answer.text();
  expect(answer.status).toBe(500);
  expect(text).not.toMatch(/hush|SELECT|secret|\bat\b .*:\d/);
  const id = answer.headers.get('x-request-id');
  expect(JSON.parse(text)).toMatchObject({ code: 'INTERNAL', requestId: id });
  expect(logged.find(({ level }) => level === 'error')).toMatchObject({
    fields: { id },
    error: { message: expect.stringContaining('hush') },
  });
});

it('nothing of all this is a fault of the server, and no secret is in its log [R6-ACCESS-NO-LEAKS]', () => {
  secrets.absentFromLog(stage.logged);
  expect(stage.logged.filter(({ level, fields }) => level === 'error' || fields['status'] === 500)).toEqual([]);
  expect(JSON.stringify(stage.logged)).not.toContain('hush');
});
