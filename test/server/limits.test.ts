import { type VirtualClock, virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { authenticator, LOCAL } from '../../packages/server/src/access/authenticator.js';
import { bodyReader, refuseBody } from '../../packages/server/src/access/body-reader.js';
import { failures } from '../../packages/server/src/access/failures.js';
import { flawOf } from '../../packages/server/src/access/json-text.js';
import { originGuard } from '../../packages/server/src/access/origin-guard.js';
import type { Principal } from '../../packages/server/src/access/principal.js';
import { rateLimiter } from '../../packages/server/src/access/rate-limiter.js';
import { securityHeaders } from '../../packages/server/src/access/security-headers.js';
import { Problem } from '../../packages/server/src/problem.js';

let clock: VirtualClock;
beforeEach(() => {
  clock = virtualClock();
});

const who = (id: string, requestsPerMinute?: number, tenant = 'acme'): Principal => ({
  id,
  kind: 'key',
  tenant,
  subject: id,
  scopes: [],
  limits: requestsPerMinute === undefined ? {} : { requestsPerMinute },
});
const refusalOf = (work: () => unknown): Problem => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error('was let through');
};
const refusedLater = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await work.then(
    () => new Error('was let through'),
    (failure: unknown) => failure,
  );
  if (error instanceof Problem) return error;
  throw error;
};

describe('requests a minute [R6-ACCESS-RATE]', () => {
  it('are let through up to the limit of a key; a refusal says when to come back, and then it is so', async () => {
    const rates = rateLimiter({ tenantLimits: {}, tenants: {} }, clock);
    const left = [1, 2, 3].map(() => rates.take(who('key:a', 3))['ratelimit-remaining']);
    expect(left).toEqual(['2', '1', '0']);
    const refused = refusalOf(() => rates.take(who('key:a', 3)));
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryable: true });
    expect(refused.headers).toEqual({
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': '60',
      'retry-after': '20',
    });
    await clock.advance(19_999);
    expect(refusalOf(() => rates.take(who('key:a', 3))).status).toBe(429);
    await clock.advance(1);
    rates.take(who('key:a', 3));
    rates.take(who('key:b', 3)); // of another key
  });

  it('are counted for the tenant over all of its keys, and not for another tenant', () => {
    const rates = rateLimiter(
      { tenantLimits: { requestsPerMinute: 2 }, tenants: { big: { requestsPerMinute: 5 } } },
      clock,
    );
    rates.take(who('key:a'));
    rates.take(who('key:b', 100));
    expect(refusalOf(() => rates.take(who('key:c'))).status).toBe(429);
    for (let n = 0; n < 5; n++) rates.take(who('key:d', undefined, 'big'));
    expect(refusalOf(() => rates.take(who('key:d', undefined, 'big'))).status).toBe(429);
    rates.take(who('key:a', undefined, 'constructor')); // no name of a tenant finds anything but settings
  });

  it('that are refused for one reason are not counted for the other', () => {
    const rates = rateLimiter({ tenantLimits: { requestsPerMinute: 3 }, tenants: {} }, clock);
    rates.take(who('key:a', 1));
    for (let n = 0; n < 5; n++) refusalOf(() => rates.take(who('key:a', 1)));
    expect(rates.take(who('key:b'))['ratelimit-remaining']).toBe('1');
  });

  it('of any number of principals are remembered in bounded memory, those who wait first', async () => {
    const rates = rateLimiter({ tenantLimits: {}, tenants: {} }, clock);
    rates.take(who('key:idle', 60));
    await clock.advance(60_000);
    rates.take(who('key:busy', 1));
    for (let n = 0; n < 15_000; n++) {
      rates.take(who(`jwt:${n}`, 60_000));
      if (n % 100 === 0) await clock.advance(1);
    }
    expect(rates.size).toBeLessThanOrEqual(10_000);
    expect(refusalOf(() => rates.take(who('key:busy', 1))).status).toBe(429);
  });
});

describe('a credential [R6-ACCESS-KEYS]', () => {
  const good = who('key:good');
  const parts = (more: Partial<Parameters<typeof authenticator>[0]> = {}) => ({
    keys: { principalOf: async (secret: string) => (secret === 'fb_good' ? good : undefined), any: async () => true },
    settings: { open: false, failuresPerMinute: 3 },
    clock,
    ...more,
  });
  const bearer = (token: string) => new Headers({ authorization: `Bearer ${token}` });

  it('is taken from the Authorization header as a bearer token only', async () => {
    const authenticate = authenticator(parts({ settings: { open: false, failuresPerMinute: 99 } }));
    expect(await authenticate(bearer('fb_good'), '1.1.1.1')).toBe(good);
    expect(await authenticate(new Headers({ authorization: 'bearer fb_good' }), '1.1.1.1')).toBe(good);
    for (const authorization of [
      'Basic fb_good',
      'fb_good',
      'Bearer',
      'Bearer fb_good fb_good',
      'Bearer fb_good, Bearer fb_good',
    ])
      expect((await refusedLater(authenticate(new Headers({ authorization }), '1.1.1.1'))).status).toBe(401);
    const elsewhere = new Headers({ 'x-api-key': 'fb_good', cookie: 'key=fb_good' });
    expect((await refusedLater(authenticate(elsewhere, '1.1.1.1'))).headers).toEqual({
      'www-authenticate': 'Bearer realm="flyball"',
    });
  });

  it('that is a token goes to the verifier of tokens where there is one, and a key never does', async () => {
    const seen: string[] = [];
    const jwt = async (token: string) => {
      seen.push(token);
      return who('jwt:x');
    };
    const authenticate = authenticator(parts({ jwt }));
    expect(await authenticate(bearer('a.b.c'), '1.1.1.1')).toMatchObject({ id: 'jwt:x' });
    expect(await authenticate(bearer('fb_good'), '1.1.1.1')).toBe(good);
    expect(seen).toEqual(['a.b.c']);
  });

  it('is not needed on an open server until there is the first key', async () => {
    let any = false;
    const keys = { principalOf: async () => undefined, any: async () => any };
    const authenticate = authenticator(parts({ keys, settings: { open: true, failuresPerMinute: 3 } }));
    expect(await authenticate(new Headers(), '127.0.0.1')).toBe(LOCAL);
    any = true;
    await clock.advance(1_000);
    expect((await refusedLater(authenticate(new Headers(), '127.0.0.1'))).status).toBe(401);
    const closed = authenticator(parts({ keys: { ...keys, any: async () => false } }));
    expect((await refusedLater(closed(new Headers(), '127.0.0.1'))).status).toBe(401);
  });

  it('is needed for good once there was a key, whatever became of it since [R19-STAYS-CLOSED]', async () => {
    let any = true;
    const keys = { principalOf: async () => undefined, any: async () => any };
    const authenticate = authenticator(parts({ keys, settings: { open: true, failuresPerMinute: 3 } }));
    expect((await refusedLater(authenticate(new Headers(), '127.0.0.1'))).status).toBe(401);
    any = false;
    await clock.advance(60_000);
    expect((await refusedLater(authenticate(new Headers(), '127.0.0.1'))).status).toBe(401);
  });

  it.each([
    ['x-forwarded-for', '127.0.0.1'],
    ['x-forwarded-host', 'agents.example.com'],
    ['x-real-ip', '198.51.100.7'],
    ['forwarded', 'for=127.0.0.1'],
    ['via', '1.1 Caddy'],
  ])(
    'is needed on an open server for what came through a proxy, by its %s [R19-NOT-THIS-MACHINE]',
    async (name, value) => {
      const keys = { principalOf: async () => undefined, any: async () => false };
      const authenticate = authenticator(parts({ keys, settings: { open: true, failuresPerMinute: 3 } }));
      expect(await authenticate(new Headers(), '127.0.0.1')).toBe(LOCAL);
      expect(await refusedLater(authenticate(new Headers({ [name]: value }), '127.0.0.1'))).toMatchObject({
        status: 401,
        message: 'This request came through a proxy, so it requires a credential.',
        next: expect.stringContaining('flyball keys create'),
      });
    },
  );

  it('that is wrong too often from one address is no longer looked at for a minute; one that was good still is', async () => {
    const authenticate = authenticator(parts());
    await authenticate(bearer('fb_good'), '9.9.9.9');
    for (let n = 0; n < 3; n++)
      expect((await refusedLater(authenticate(bearer(`fb_${n}`), '9.9.9.9'))).status).toBe(401);
    expect(await refusedLater(authenticate(bearer('fb_4'), '9.9.9.9'))).toMatchObject({
      status: 429,
      headers: { 'retry-after': '60' },
    });
    expect(await authenticate(bearer('fb_good'), '9.9.9.9')).toBe(good);
    expect((await refusedLater(authenticate(bearer('fb_4'), '8.8.8.8'))).status).toBe(401);
    await clock.advance(60_000);
    expect((await refusedLater(authenticate(bearer('fb_4'), '9.9.9.9'))).status).toBe(401);
  });

  it('that fails is remembered in bounded memory, and by network for IPv6', () => {
    const failed = failures(1, clock);
    failed.note('2001:db8:1:2:aaaa::1');
    expect(refusalOf(() => failed.check('2001:db8:1:2:bbbb::2', '')).status).toBe(429);
    failed.check('2001:db8:1:3::1', '');
    failed.check('::1', '');
    for (let n = 0; n < 12_000; n++) {
      failed.note(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);
      failed.forgive(`digest ${n}`);
    }
    expect(failed.size).toBeLessThanOrEqual(11_000);
  });
});

describe('a body [R6-ACCESS-LIMITS]', () => {
  const SETTINGS = { maxBodyBytes: 100, bodyTimeoutMs: 60 };
  const post = (
    body: string | Uint8Array<ArrayBuffer> | ReadableStream | null,
    headers: Record<string, string> = { 'content-type': 'application/json' },
  ) => new Request('http://localhost/', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);
  const read = (body: string | Uint8Array<ArrayBuffer> | ReadableStream | null, headers?: Record<string, string>) =>
    bodyReader(post(body, headers), SETTINGS);

  it('is read as JSON in UTF-8, with its bytes as they came', async () => {
    const { raw, json } = await read('{"a": "é"}');
    expect(json).toEqual({ a: 'é' });
    expect(Buffer.from(raw).toString()).toBe('{"a": "é"}');
    expect((await read('1', { 'content-type': 'application/json; charset=utf-8' })).json).toBe(1);
    expect(await read(null)).toMatchObject({ json: undefined });
    const bytes = await bodyReader(post('<xml/>', { 'content-type': 'text/xml' }), SETTINGS, 'raw');
    expect([bytes.json, Buffer.from(bytes.raw).toString()]).toEqual([undefined, '<xml/>']);
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json; charset=utf-16',
    '',
  ])('is refused as %j', async (type) => {
    const headers = { 'content-length': '2', 'content-type': type };
    expect((await refusedLater(read('{}', headers))).status).toBe(415);
  });

  it('that announces more than the limit is refused before any of it is read', async () => {
    const request = post(endless(), { 'content-type': 'application/json', 'content-length': '101' });
    expect((await refusedLater(bodyReader(request, SETTINGS))).status).toBe(413);
    expect(request.bodyUsed).toBe(false);
  });

  it('that announces nothing is refused as soon as it is larger', async () => {
    let sent = 0;
    const count = (): void => {
      sent += 10;
    };
    const refused = await refusedLater(read(endless(count)));
    expect(refused).toMatchObject({ status: 413, headers: { connection: 'close' } });
    expect(sent).toBeLessThan(200);
  });

  it('that does not end in time is refused', async () => {
    const stuck = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{')) });
    expect(await refusedLater(read(stuck))).toMatchObject({ status: 408, code: 'TIMEOUT', retryable: true });
  });

  it('that breaks off is refused', async () => {
    const cut = new ReadableStream({ start: (controller) => controller.error(new Error('gone')) });
    expect((await refusedLater(read(cut))).status).toBe(400);
  });

  it.each([
    ['not JSON', '{"hush-7":'],
    ['two values', '{} {"hush-7":1}'],
    ['JavaScript', '{hush: 7}'],
    ['a number that JSON has not', 'NaN'],
    ['half a character', new Uint8Array([0x22, 0xc3, 0x28, 0x22])],
    ['a byte order of UTF-16', new Uint8Array([0xff, 0xfe, 0x7b, 0x00])],
    ['a prototype', '{"__proto__":{"hush":7}}'],
    ['a prototype in other letters', '{"a":[{"\\u005f_proto__":1}]}'],
    ['a name twice', '{"hush":1,"b":{},"h\\u0075sh":2}'],
    ['65 levels', '['.repeat(65).padEnd(130, ']')],
  ])('with %s is refused, and nothing of it is repeated', async (_, body) => {
    const refused = await refusedLater(bodyReader(post(body), { ...SETTINGS, maxBodyBytes: 1000 }));
    expect(refused.status).toBe(400);
    expect(refused.message + refused.next).not.toMatch(/hush|proto/);
  });

  it('is as deep as 64 levels and may use a name again elsewhere', () => {
    expect(flawOf('['.repeat(64) + ']'.repeat(64))).toBeUndefined();
    expect(flawOf('{"a":{"a":[{"a":1},{"a":"}{\\"a\\":"}]},"b":"a","c":["a","a"]}')).toBeUndefined();
    expect(flawOf('{"a" : 1, "a"\n:2}')).toMatch(/twice/);
  });

  it('is refused where there is none to be', () => {
    expect(refusalOf(() => refuseBody(new Headers({ 'content-length': '1' }))).status).toBe(400);
    expect(refusalOf(() => refuseBody(new Headers({ 'transfer-encoding': 'chunked' }))).status).toBe(400);
    refuseBody(new Headers({ 'content-length': '0' }));
  });

  function endless(each: () => void = () => undefined): ReadableStream<Uint8Array> {
    return new ReadableStream({
      pull(controller) {
        each();
        controller.enqueue(new Uint8Array(10).fill(0x20));
      },
    });
  }
});

describe('a page of somebody else [R6-ACCESS-CORS]', () => {
  const LOOPBACK = { host: '127.0.0.1', hosts: [], origins: [] };
  const headers = (host: string, origin?: string) => new Headers({ host, ...(origin === undefined ? {} : { origin }) });

  it.each(['127.0.0.1:4747', 'localhost:4747', 'LOCALHOST', '[::1]:4747', '127.0.0.2'])(
    'is not what comes to %s',
    (host) => originGuard(LOOPBACK).check(headers(host)),
  );

  it.each([
    'evil.example',
    'evil.example:4747',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '127.0.0.1@evil.example',
    '',
    'localhost:4747:1',
    'a b',
  ])('is refused under the name %j that was bound to our address', (host) => {
    expect(refusalOf(() => originGuard(LOOPBACK).check(headers(host)))).toMatchObject({
      status: 403,
      code: 'ORIGIN_REFUSED',
    });
  });

  it('is refused without any name', () => {
    expect(refusalOf(() => originGuard(LOOPBACK).check(new Headers())).status).toBe(403);
  });

  it('reaches a server under names that were given, and by address where it is bound to all of them', () => {
    const named = originGuard({ host: '0.0.0.0', hosts: ['agents.example', 'a.example:8443'], origins: [] });
    for (const host of ['agents.example', 'Agents.example:443', 'a.example:8443', '192.168.1.7:4747', '[fe80::1]'])
      named.check(headers(host));
    expect(refusalOf(() => named.check(headers('evil.example'))).status).toBe(403);
  });

  it.each([
    'http://evil.example',
    'null',
    'http://localhost:9999',
    'http://127.0.0.1',
    'file://localhost:4747',
    'http://localhost:4747.evil.example',
    'chrome-extension://abc',
  ])('is refused from %s', (origin) => {
    const guard = originGuard(LOOPBACK);
    expect(refusalOf(() => guard.check(headers('localhost:4747', origin))).code).toBe('ORIGIN_REFUSED');
    expect(guard.cors(headers('localhost:4747', origin))).toEqual({});
  });

  it('is let in from our own origin, and from those that were named, which alone may read answers', () => {
    const guard = originGuard({ ...LOOPBACK, origins: ['https://app.example/'] });
    guard.check(headers('localhost:4747', 'http://localhost:4747'));
    guard.check(headers('localhost:4747', 'https://app.example'));
    expect(refusalOf(() => guard.check(headers('localhost:4747', 'http://app.example'))).status).toBe(403);
    const cors = guard.cors(headers('localhost:4747', 'https://app.example'));
    expect(cors).toMatchObject({ 'access-control-allow-origin': 'https://app.example', vary: 'origin' });
    expect(Object.keys(cors)).not.toContain('access-control-allow-credentials');
    expect(guard.cors(headers('localhost:4747', 'http://localhost:4747'))).toEqual({ vary: 'origin' });
  });

  it('asks first and is told what it may do only where it was named', () => {
    const preflight = (origin: string) => ({
      method: 'OPTIONS',
      headers: new Headers({ host: 'localhost', origin, 'access-control-request-method': 'POST' }),
    });
    const guard = originGuard({ ...LOOPBACK, origins: ['https://app.example'] });
    const answer = guard.preflight(preflight('https://app.example'));
    expect(answer?.status).toBe(204);
    expect(answer?.headers.get('access-control-allow-headers')).toContain('authorization');
    expect(refusalOf(() => guard.preflight(preflight('https://evil.example'))).status).toBe(403);
    expect(refusalOf(() => originGuard(LOOPBACK).preflight(preflight('https://app.example'))).status).toBe(403);
    expect(guard.preflight({ method: 'OPTIONS', headers: new Headers() })).toBeUndefined();
  });

  it('can neither frame nor read what we answer, and our pages load from us only', () => {
    for (const path of ['/v1/runs', '/studio/', '/docs', '/']) {
      const given = securityHeaders(path);
      expect(given).toMatchObject({ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' });
      expect(given['content-security-policy']).toContain("frame-ancestors 'none'");
      expect(given['content-security-policy']).not.toMatch(/unsafe|\*|http/);
    }
    expect(securityHeaders('/v1/runs')['cache-control']).toBe('no-store');
    expect(securityHeaders('/studiox')['content-security-policy']).toContain("default-src 'none'");
  });
});
