import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answered, type ServerStage, serverStage } from '../../server/stage-server.js';

/** Ways to get at a key, or at more than a key is for. */
const SECRET = 'correct horse battery staple, more or less';
let stage: ServerStage;
const key: Record<string, string> = {};
const prefixOf = (name: string): string => (key[name] ?? '').slice(3, 11);

beforeAll(async () => {
  stage = await serverStage({ jwt: { key: { kind: 'secret', secret: SECRET } } });
  const make = async (name: string, scopes: readonly string[], more: object = {}, tenant = 'house') => {
    key[name] = await stage.keyFor(tenant, scopes, { name, subject: name, ...more });
  };
  await make('ada', ['admin']);
  await make('lim', ['admin'], { limits: { costUsdPerDay: 0.1, requestsPerMinute: 500 } });
  await make('brief', ['admin'], { expiresAt: Date.now() + 3_600_000 });
  await make('carl', ['agents:invoke', 'runs:*', 'approvals:decide', 'tools:execute', 'metrics:read', 'agents:read']);
  await make('star', ['keys:*', 'admin:*', 'adm']);
  const soon = Date.now() + 3_000;
  await make('over', ['admin'], { expiresAt: soon });
  await make('gone', ['admin']);
  await make('eve', ['admin'], {}, 'zoo');
  await stage.again();
  await stage.keys.revoke(prefixOf('gone'));
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, soon + 10 - Date.now())));
});
afterAll(() => stage.close());

const call = (who: string, method: string, path: string, body?: unknown, headers = {}) =>
  stage.call(method, path, {
    ...(key[who] === undefined ? {} : { key: key[who] }),
    headers,
    ...(body === undefined ? {} : { body }),
  });
const whoami = (authorization: string, path = '/v1/whoami') => stage.call('GET', path, { headers: { authorization } });
const mint = (who: string, body: object) =>
  call(who, 'POST', '/v1/keys', { name: 'x', scopes: ['runs:read'], ...body });
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const token = (payload: object, header: object = {}, secret = SECRET): string => {
  const signed = `${part({ alg: 'HS256', typ: 'JWT', ...header })}.${part({ sub: 'joe', tenant: 'house', scope: 'admin', exp: Math.floor(Date.now() / 1000) + 300, ...payload })}`;
  return `Bearer ${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
};
const flipped = (secret: string): string => `${secret.slice(0, -1)}${secret.endsWith('A') ? 'B' : 'A'}`;

const REFUSED: Readonly<
  Record<string, readonly [status: number | readonly number[], attack: () => Promise<Answered>]>
> = {
  'lists keys without admin': [403, () => call('carl', 'GET', '/v1/keys')],
  'mints without admin': [403, () => mint('carl', {})],
  'mints with scopes that look like admin': [403, () => mint('star', {})],
  'mints for another tenant': [400, () => mint('ada', { tenant: 'zoo' })],
  'mints for another subject': [403, () => mint('ada', { subject: 'ben' })],
  'mints for a subject that only looks like the own one': [403, () => mint('ada', { subject: 'аda' })],
  'mints with a higher cost limit': [403, () => mint('lim', { limits: { costUsdPerDay: 5 } })],
  'mints with a higher rate': [403, () => mint('lim', { limits: { requestsPerMinute: 501 } })],
  'mints with a negative limit': [400, () => mint('lim', { limits: { costUsdPerDay: -1 } })],
  'mints with an account of somebody else': [400, () => mint('lim', { account: { id: 'key:none', limits: {} } })],
  'mints a key that outlives its own': [403, () => mint('brief', { expiresInDays: 30 })],
  'mints a key that is over': [400, () => mint('ada', { expiresInDays: 0 })],
  'mints with a prefix of its choice': [400, () => mint('ada', { prefix: 'aaaaaaaa' })],
  'mints with a line break in the name': [400, () => mint('ada', { name: 'x\nadmin' })],
  'rotates the key of another person': [403, () => call('lim', 'POST', `/v1/keys/${prefixOf('ada')}/rotate`, {})],
  'rotates a key of another tenant': [404, () => call('eve', 'POST', `/v1/keys/${prefixOf('ada')}/rotate`, {})],
  'rotates without admin': [403, () => call('carl', 'POST', `/v1/keys/${prefixOf('carl')}/rotate`, {})],
  'rotates a key that was revoked': [
    [400, 403, 404, 409],
    () => call('ada', 'POST', `/v1/keys/${prefixOf('gone')}/rotate`, {}),
  ],
  'revokes a key of another tenant': [404, () => call('eve', 'DELETE', `/v1/keys/${prefixOf('ada')}`)],
  'revokes by a name of objects': [[400, 404], () => call('ada', 'DELETE', '/v1/keys/__proto__')],
  'revokes by a path': [[400, 404], () => call('ada', 'DELETE', '/v1/keys/..%2f..%2fkeys')],
  'uses a key that was revoked': [401, () => call('gone', 'GET', '/v1/whoami')],
  'uses a key that has expired': [401, () => call('over', 'GET', '/v1/whoami')],
  'uses a secret with one letter changed': [401, () => whoami(`Bearer ${flipped(key['ada'] ?? '')}`)],
  'uses a secret with a letter less': [401, () => whoami(`Bearer ${key['ada']?.slice(0, -1)}`)],
  'uses a secret with a letter more': [401, () => whoami(`Bearer ${key['ada']}A`)],
  'uses the prefix of one key with the secret of another': [
    401,
    () => whoami(`Bearer fb_${prefixOf('ada')}${key['carl']?.slice(11)}`),
  ],
  'uses the prefix alone': [401, () => whoami(`Bearer fb_${prefixOf('ada')}_`)],
  'sends two keys at once': [401, () => whoami(`Bearer ${key['carl']}, Bearer ${key['ada']}`)],
  'sends a key as a password': [401, () => whoami(`Basic ${Buffer.from(`ada:${key['ada']}`).toString('base64')}`)],
  'sends a key in the address': [[400, 401], () => stage.call('GET', `/v1/whoami?access_token=${key['ada']}`)],
  'sends a key as a cookie': [401, () => stage.call('GET', '/v1/whoami', { headers: { cookie: `key=${key['ada']}` } })],
  'claims another tenant in a header': [
    404,
    () =>
      call('eve', 'POST', `/v1/keys/${prefixOf('ada')}/rotate`, {}, { 'x-tenant': 'house', 'x-forwarded-user': 'ada' }),
  ],
  'signs a token with nothing': [401, () => whoami(token({}, { alg: 'none' }).replace(/\.[^.]*$/, '.'))],
  'signs a token with another secret': [401, () => whoami(token({}, {}, 'another secret that is long enough'))],
  'brings a token that is over': [401, () => whoami(token({ exp: 1 }))],
  'brings a token that never ends': [401, () => whoami(token({ exp: undefined }))],
  'brings a token without a tenant': [401, () => whoami(token({ tenant: undefined }))],
  'brings a token for a tenant that is a path': [401, () => whoami(token({ tenant: '../house' }))],
  'brings a token for another service': [401, () => whoami(token({ aud: 'https://other.example' }))],
  'brings a token with its own key': [401, () => whoami(token({}, { jwk: { kty: 'oct', k: 'AAAA' } }, '\0\0\0'))],
  'brings a token with critical extensions': [401, () => whoami(token({}, { crit: ['x'], x: 1 }))],
};

describe('the server refuses somebody who', () => {
  it.each(Object.keys(REFUSED))('%s [R8-SECURITY-ATTACKS]', async (name) => {
    const [status, attack] = REFUSED[name] ?? [0, () => Promise.reject(new Error(name))];
    const answer = await attack();
    expect([status].flat()).toContain(answer.status);
    for (const secret of Object.values(key)) expect(answer.text).not.toContain(secret.slice(12));
    expect((await call('ada', 'GET', '/v1/whoami')).status).toBe(200); // and nobody lost anything by it
  });
});

describe('a key that somebody made over HTTP', () => {
  it('lives no longer than the key that made it, where nothing is said [R8-SECURITY-ATTACKS]', async () => {
    const made = await mint('brief', {});
    const own = (await stage.keys.get(prefixOf('brief')))?.expiresAt ?? 0;
    expect(made.body.key.expiresAt).toBeLessThanOrEqual(own);
  });

  it('spends what its maker may spend, and a key that it makes does too [R8-SECURITY-ATTACKS]', async () => {
    const first = (await mint('lim', { scopes: ['admin'] })).body.secret;
    key['second'] = (
      await stage.call('POST', '/v1/keys', { key: first, body: { name: 'y', scopes: ['admin'] } })
    ).body.secret;
    const granted: number[] = [];
    for (const who of ['lim', 'second', 'lim', 'second']) {
      const { status, body } = await call(who, 'POST', '/v1/runs', {
        agent: 'waiter',
        input: {},
        budget: { costUsd: 0.1 },
      });
      if (status === 202) granted.push(body.usage.costUsd.limit);
    }
    expect(granted.reduce((sum, usd) => sum + usd, 0)).toBeLessThanOrEqual(0.1 + 1e-9);
  });

  it('is not made usable again by its old secret after a rotation without grace [R8-SECURITY-ATTACKS]', async () => {
    const { secret, key: made } = (await mint('ada', { scopes: ['admin'] })).body;
    const again = (
      await stage.call('POST', `/v1/keys/${made.prefix}/rotate`, { key: key['ada'] ?? '', body: { graceHours: 0 } })
    ).body;
    expect((await whoami(`Bearer ${secret}`)).status).toBe(401);
    expect((await whoami(`Bearer ${again.secret}`)).status).toBe(200);
  });
});
