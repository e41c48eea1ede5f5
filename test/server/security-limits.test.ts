import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { systemClock } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';
import type { Store } from '../../packages/flyball/src/ports/store.js';
import { patient } from '../patience.js';
import { comparable, Secrets } from './security-stage.js';
import { type ServerStage, serverStage } from './stage-server.js';

/** Tokens, rates, costs and idempotency keys over HTTP, as clients meet them. */
let stage: ServerStage | undefined;
afterEach(async () => {
  await stage?.close();
  stage = undefined;
});
const open = async (options: Parameters<typeof serverStage>[0] = {}): Promise<ServerStage> => {
  stage = await serverStage(options);
  return stage;
};

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a token over HTTP [R6-ACCESS-JWT] [R6-SHOW-SECURITY]', () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const claims = (more: object = {}) => ({
    iss: 'https://id.example',
    aud: 'flyball',
    sub: 'maria',
    tenant: 'acme',
    scope: 'runs:read',
    exp: Math.floor(Date.now() / 1000) + 60,
    ...more,
  });
  const rs256 = (payload: object, header: object = {}): string => {
    const signed = `${part({ alg: 'RS256', ...header })}.${part(payload)}`;
    return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
  };
  const confused = (): string => {
    const signed = `${part({ alg: 'HS256' })}.${part(claims())}`;
    return `${signed}.${createHmac('sha256', pem).update(signed).digest('base64url')}`;
  };

  it('is let in when it is good and refused in the same words when it is not, whatever is wrong', async () => {
    const { call, logged } = await open({
      jwt: { key: { kind: 'pem', pem }, issuer: 'https://id.example', audience: 'flyball' },
      settings: { failuresPerMinute: 1_000 },
    });
    const secrets = new Secrets();
    const good = rs256(claims());
    expect((await call('GET', '/v1/whoami', { key: good })).body).toMatchObject({
      id: 'jwt:maria',
      kind: 'jwt',
      tenant: 'acme',
    });
    expect((await call('GET', '/v1/runs', { key: good })).status).toBe(200);
    expect((await call('POST', '/v1/runs', { key: good, body: { agent: 'waiter' } })).status).toBe(403);
    const none = `${part({ alg: 'none' })}.${part(claims())}.`;
    const wrong = [
      none,
      `${none}AAAA`,
      confused(),
      rs256(claims({ iss: 'https://evil.example' })),
      rs256(claims({ aud: 'other' })),
      rs256(claims({ exp: 1 })),
      rs256(claims({ exp: undefined })),
      rs256(claims({ tenant: undefined })),
      rs256(claims({ tenant: '~server' })),
      `${rs256(claims(), { kid: '../../etc/passwd' }).slice(0, -20)}${'B'.repeat(20)}`,
      rs256(claims(), { crit: ['exp'] }),
      `${good.slice(0, -20)}${'A'.repeat(20)}`,
    ];
    const said = new Set<string>();
    for (const key of wrong) said.add(comparable(await call('GET', '/v1/whoami', { key: secrets.add(key) })));
    expect([...said]).toHaveLength(1);
    expect([...said][0]).toMatch(/^401\n[\s\S]*"The credential is not valid\."/);
    expect((await call('GET', '/v1/whoami')).status).toBe(401); // with tokens configured nobody is local
    secrets.absentFromLog(logged);
  });
});

describe('limits over HTTP', () => {
  it('on requests answer 429 with when to come back, for a key and for its tenant [R6-ACCESS-RATE]', async () => {
    const { call, keyFor } = await open({ settings: { tenants: { small: { requestsPerMinute: 3 } } } });
    const key = await keyFor('acme', ['*'], { limits: { requestsPerMinute: 2 } });
    const answers = [];
    for (let n = 0; n < 3; n++) answers.push(await call('GET', '/v1/whoami', { key }));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
    expect(answers[0]?.headers.get('ratelimit-remaining')).toBe('1');
    expect(answers[2]?.headers.get('retry-after')).toBe('30');
    expect(answers[2]?.body).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const small = [await keyFor('small', ['*']), await keyFor('small', ['*'])];
    const statuses = [];
    for (let n = 0; n < 4; n++) statuses.push((await call('GET', '/v1/whoami', { key: small[n % 2] ?? '' })).status);
    expect(statuses).toEqual([200, 200, 200, 429]);
  });

  it('on cost hold for a tenant of any name [R6-ACCESS-COST]', async () => {
    const { call, keyFor } = await open({ settings: { tenantLimits: { costUsdPerDay: 0 } } });
    const key = await keyFor('constructor', ['*']);
    expect((await call('POST', '/v1/runs', { key, body: { agent: 'waiter', input: {} } })).status).toBe(429);
  });

  it('on guesses answer 429 after so many wrong credentials [R6-ACCESS-KEYS]', async () => {
    const { call, keyFor } = await open({ settings: { failuresPerMinute: 5 } });
    const key = await keyFor('acme', ['*']);
    expect((await call('GET', '/v1/whoami', { key })).status).toBe(200);
    const statuses = [];
    for (let n = 0; n < 7; n++) statuses.push((await call('GET', '/v1/whoami', { key: `fb_guess${n}22_x` })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    expect((await call('GET', '/v1/whoami', { key })).status).toBe(200);
  });

  it('on cost count what open runs may spend, and hold after a restart [R6-ACCESS-COST]', async () => {
    const { call, keyFor, again } = await open({ settings: { tenants: { acme: { costUsdPerDay: 0.5 } } } });
    const key = await keyFor('acme', ['*']);
    const start = (budget?: object) =>
      stage?.call('POST', '/v1/runs', { key, body: { agent: 'waiter', input: {}, ...(budget && { budget }) } });
    const first = await start({ costUsd: 0.3 });
    expect(first?.status, first?.text).toBe(202);
    const second = await start({ costUsd: 0.3 });
    expect(second?.body.usage.costUsd.limit).toBeCloseTo(0.2, 9); // what is left is all it gets
    expect(await start({ costUsd: 0.1 })).toMatchObject({
      status: 429,
      body: { code: 'COST_LIMITED', retryable: true },
    });
    await again();
    expect((await start({ costUsd: 0.1 }))?.status).toBe(429);
    await stage?.call('POST', `/v1/runs/${first?.body.id}/cancel`, { key, body: {} });
    await expect.poll(async () => (await start({ costUsd: 0.1 }))?.status).toBe(202);
    expect((await call('GET', '/v1/whoami', { key })).status).toBe(200);
  });
});

it('a stream ends when its key is revoked [R6-ACCESS-KEYS]', async () => {
  const { keys, keyFor, url } = await open({ settings: { heartbeatMs: 100 } });
  const key = await keyFor('acme', ['runs:read']);
  const answer = await fetch(`${url}/v1/events`, { headers: { authorization: `Bearer ${key}` } });
  expect(answer.status).toBe(200);
  const ended = answer.text();
  await expect(Promise.race([ended, later(300)])).resolves.toBe('open');
  await keys.revoke(key.slice(3, 11));
  await ended; // hangs where nobody looks at the key again
});

function later(ms: number): Promise<string> {
  return new Promise((resolve) => setTimeout(resolve, ms, 'open'));
}

describe('an idempotency key over HTTP [R6-ACCESS-IDEMPOTENCY]', () => {
  const body = { agent: 'waiter', input: {} };
  const headers = { 'idempotency-key': '0c2b7f5e-1' };

  it('starts one run however often it is sent, also to a server that was restarted', async () => {
    const { call, keyFor, again } = await open();
    const key = await keyFor('acme', ['*']);
    const first = await call('POST', '/v1/runs', { key, body, headers });
    expect(first.headers.get('idempotent-replayed')).toBeNull();
    const second = await call('POST', '/v1/runs', { key, body, headers });
    await again();
    const third = await stage?.call('POST', '/v1/runs', { key, body, headers });
    for (const repeated of [second, third]) {
      expect([repeated?.status, repeated?.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
      expect(repeated?.text).toBe(first.text);
    }
    const other = await stage?.call('POST', '/v1/runs', { key, body: { ...body, agent: 'counter' }, headers });
    expect([other?.status, other?.body.code]).toEqual([422, 'KEY_REUSED']);
    expect((await stage?.call('GET', '/v1/runs', { key }))?.body.runs).toHaveLength(1);
  });

  it('starts one run when many come at once', async () => {
    const { call, keyFor } = await open();
    const key = await keyFor('acme', ['*']);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => call('POST', '/v1/runs', { key, body, headers })),
    );
    const ids = answers.flatMap((each) => (each.status === 202 ? [each.body.id as string] : []));
    expect(new Set(ids).size).toBe(1);
    for (const each of answers.filter(({ status }) => status !== 202)) expect(each.body.code).toBe('BUSY');
    expect((await call('GET', '/v1/runs', { key })).body.runs).toHaveLength(1);
  });

  it.each([
    ['before its answer was kept', 2],
    ['while it was being claimed', 1],
  ])('starts one run when the server dies %s', async (_, write) => {
    const { engine, keyFor, again, call } = await open();
    const key = await keyFor('acme', ['*']);
    await again({ store: dyingAt(engine.store, write) });
    const first = await call('POST', '/v1/runs', { key, body, headers });
    expect(first.status).toBe(500);
    // the claim is of this very process, which nobody can prove gone: it has to run out
    const real = systemClock();
    await again({ store: engine.store, clock: { ...real, now: () => real.now() + 60_000 } });
    const second = await call('POST', '/v1/runs', { key, body, headers });
    expect([second.status, second.headers.get('idempotent-replayed')], second.text).toEqual([202, null]);
    const { runs } = (await call('GET', '/v1/runs', { key })).body;
    expect(runs.map(({ id }: { id: string }) => id)).toEqual([second.body.id]);
  });
});

describe('where a server listens [R6-ACCESS-LOOPBACK]', () => {
  it('is loopback, open to this machine until there is a key, and nowhere else without one', async () => {
    const { server, call, keyFor, url } = await open();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(server.open).toBe(true);
    const everything = ['*', 'workers:control'];
    expect((await call('GET', '/v1/whoami')).body).toMatchObject({
      id: 'local',
      tenant: 'default',
      scopes: everything,
    });
    await expect(serverStage({ settings: { host: '0.0.0.0' } })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('flyball keys create'),
    });
    const key = await keyFor('acme', ['*']);
    await expect.poll(async () => (await call('GET', '/v1/whoami')).status).toBe(401);
    expect((await call('GET', '/v1/whoami', { key })).status).toBe(200);
  });

  it.each(['has expired', 'was revoked'])(
    'stays closed when its last key %s, also after a restart, and says what to do [R19-STAYS-CLOSED]',
    async (end) => {
      const stage = await open({ settings: { publicCard: true } });
      const soon = Date.now() + 100;
      const { key } = await stage.keys.create({
        ...{ name: 'only', tenant: 'acme', scopes: ['admin'] },
        ...(end === 'has expired' ? { expiresAt: soon } : {}),
      });
      if (end === 'was revoked') await stage.keys.revoke(key.prefix);
      await expect.poll(() => Date.now()).toBeGreaterThan(soon);
      const anonymous = async () => (await stage.call('GET', '/v1/whoami')).status;
      await expect.poll(anonymous, { timeout: patient(5_000) }).toBe(401);
      const card = await stage.call('GET', '/.well-known/agent-card.json');
      expect([card.status, 'securitySchemes' in card.body]).toEqual([200, true]);
      for (const host of ['127.0.0.1', '0.0.0.0']) {
        await stage.again({ settings: { host } });
        expect(stage.server.open).toBe(false);
        expect((await stage.call('GET', '/v1/whoami')).body).toMatchObject({
          code: 'UNAUTHENTICATED',
          next: expect.stringContaining('flyball keys create'),
        });
        expect(stage.logged).toContainEqual({
          level: 'warn',
          what: 'every API key has expired or was revoked',
          fields: { next: 'flyball keys create --name admin --scope admin' },
        });
      }
    },
  );

  it.each([
    ['behind a proxy', { proxies: ['127.0.0.1'] }],
    ['under another name', { hosts: ['agents.example.com'] }],
  ])('does not start %s without a key [R19-NOT-THIS-MACHINE]', async (_, settings) => {
    await expect(serverStage({ settings })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('flyball keys create'),
    });
    const stage = await open();
    await stage.keyFor('acme', ['*']);
    await stage.again({ settings });
    expect((await stage.call('GET', '/v1/whoami')).status).toBe(401);
  });
});

/** A store whose process dies at this write about an idempotency key: it and all later ones are never made. */
function dyingAt(base: Store, write: number): Store {
  let seen = 0;
  return {
    ...base,
    commit: async (at, ...rest) => {
      if (at.collection === 'idempotency' && ++seen >= write) throw new Error('the process died');
      return base.commit(at, ...rest);
    },
  };
}
