import { createHmac } from 'node:crypto';
import { memoryStore } from 'flyball';
import { virtualClock } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { ApiKeys } from '../../packages/server/src/access/api-keys.js';
import { mintedBy, revokeWithMinted } from '../../packages/server/src/access/minted-keys.js';
import { apiKeys } from '../../packages/server/src/access/stored-keys.js';
import { keyRoutes } from '../../packages/server/src/routes/keys.js';
import { type ServerStage, serverStage } from './stage-server.js';

let stage: ServerStage;
let admin: string;
beforeAll(async () => {
  stage = await serverStage();
  admin = await stage.keyFor('house', ['admin'], { subject: 'ada' });
  await stage.again();
});
afterAll(() => stage.close());

interface Made {
  readonly prefix: string;
  readonly secret: string;
}

async function mint(by: string, name: string): Promise<Made> {
  const { body } = await stage.call('POST', '/v1/keys', { key: by, body: { name, scopes: ['admin'] } });
  return { prefix: body.key.prefix, secret: body.secret };
}
const revoke = (prefix: string, query = '') => stage.call('DELETE', `/v1/keys/${prefix}${query}`, { key: admin });
const works = async ({ secret }: Made): Promise<boolean> =>
  (await stage.call('GET', '/v1/whoami', { key: secret })).status === 200;

/** A key that made one, which made another. */
async function family() {
  const first = await mint(admin, 'first');
  const second = await mint(first.secret, 'second');
  const third = await mint(second.secret, 'third');
  return { first, second, third, other: await mint(admin, 'other') };
}

describe('keys that a key made', () => {
  it('are listed with the key that made them [R8-REST-MINTED]', async () => {
    const { first, second, third } = await family();
    const { body } = await stage.call('GET', '/v1/keys', { key: admin });
    const makerOf = ({ prefix }: Made) =>
      body.keys.find((key: { readonly prefix: string }) => key.prefix === prefix).madeBy;
    expect(makerOf(first)).toBe(`key:${admin.slice(3, 11)}`);
    expect(makerOf(second)).toBe(`key:${first.prefix}`);
    expect(makerOf(third)).toBe(`key:${second.prefix}`);
  });

  it('outlive its revocation only where that is asked for, and the answer names them [R8-REST-MINTED]', async () => {
    const { first, second, third } = await family();
    const { status, body } = await revoke(first.prefix, '?keepMinted=true');
    expect({ status, minted: body.minted }).toEqual({
      status: 200,
      minted: { revoked: [], working: [second.prefix, third.prefix] },
    });
    expect(await Promise.all([first, second, third].map(works))).toEqual([false, true, true]);
  });

  it('are revoked with it, down to the last, and no others [R8-REST-MINTED] [R8-TRIAL3-A7]', async () => {
    const { first, second, third, other } = await family();
    const { body } = await revoke(first.prefix);
    expect(body).toMatchObject({
      prefix: first.prefix,
      revokedAt: expect.any(Number),
      minted: { revoked: [second.prefix, third.prefix], working: [] },
    });
    expect(await Promise.all([first, second, third, other].map(works))).toEqual([false, false, false, true]);
    const again = await revoke(first.prefix);
    expect(again.body.minted).toEqual({ revoked: [], working: [] });
  });

  it('are found through a key that was revoked before [R8-REST-MINTED]', async () => {
    const { first, second, third } = await family();
    await revoke(second.prefix, '?keepMinted=true');
    expect((await revoke(first.prefix)).body.minted.revoked).toEqual([third.prefix]);
  });

  it('are not made by one that is revoked meanwhile: nothing comes after its revocation [R8-REST-MINTED]', async () => {
    const clock = virtualClock();
    const keys = apiKeys(memoryStore(), clock);
    const { key: maker } = await keys.create({ name: 'maker', tenant: 'house', scopes: ['admin'] });
    const slow: ApiKeys = {
      ...keys,
      create: async (asked) => {
        await revokeWithMinted(keys, maker); // between the check of the credential and the new key
        return keys.create(asked);
      },
    };
    const create = keyRoutes({ keys: slow, clock }).find(({ id }) => id === 'createKey');
    const principal = {
      id: `key:${maker.prefix}`,
      kind: 'key',
      tenant: 'house',
      subject: 'maker',
      scopes: ['admin'],
      limits: {},
    };
    const made = create?.handle({ principal, body: { name: 'late', scopes: ['admin'] } } as never);
    await expect(made).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await mintedBy(keys, maker)).toMatchObject([{ name: 'late', revokedAt: expect.any(Number) }]);
    expect(await keys.anyLive()).toBe(false);
  });
});

describe('requests of keys that a key made', () => {
  it('count against the limits of every credential above it [R10-WORK-RATES-MINTED]', async () => {
    const create = async (by: string, name: string, limits?: { readonly requestsPerMinute: number }) =>
      (await stage.call('POST', '/v1/keys', { key: by, body: { name, scopes: ['admin'], limits } })).body.secret;
    const limited = await create(admin, 'limited', { requestsPerMinute: 10 });
    const first = await create(limited, 'm1');
    const second = await create(first, 'm2');
    let passed = 2; // those that made the two keys
    for (const key of [second, first, limited])
      for (let n = 0; n < 12; n++) if ((await stage.call('GET', '/v1/whoami', { key })).status === 200) passed++;
    expect(passed).toBeLessThanOrEqual(11); // one more may have become free meanwhile
    expect(passed).toBeGreaterThanOrEqual(10);
    expect((await stage.call('GET', '/v1/whoami', { key: admin })).status).toBe(200);
  });

  it('go down ten levels and no further [R10-WORK-RATES-MINTED]', async () => {
    let key = admin;
    for (let level = 1; level <= 10; level++) key = (await mint(key, `level ${level}`)).secret;
    const refused = await stage.call('POST', '/v1/keys', { key, body: { name: 'too deep', scopes: ['admin'] } });
    expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});

describe('a credential that ends [R8-TRIAL3-A7]', () => {
  const rotate = (by: string, prefix: string) =>
    stage.call('POST', `/v1/keys/${prefix}/rotate`, { key: by, body: { graceHours: 0 } });
  const made = (more: { readonly expiresAt?: number } = {}) =>
    stage.keys.create({ name: 'k', tenant: 'house', subject: 'mal', scopes: ['admin'], ...more });

  it('rotates no key of its subject that outlives it', async () => {
    const soon = Date.now() + 3_600_000;
    const [ends, later, forever] = [await made({ expiresAt: soon }), await made({ expiresAt: soon + 1 }), await made()];
    for (const { key } of [later, forever]) expect((await rotate(ends.secret, key.prefix)).status).toBe(403);
    const same = await made({ expiresAt: soon });
    expect((await rotate(ends.secret, same.key.prefix)).status).toBe(200);
    expect((await rotate(ends.secret, ends.key.prefix)).status).toBe(200);
    expect((await rotate(forever.secret, later.key.prefix)).status).toBe(200);
  });

  it('with the key that made it rotates itself and what it made, and no other', async () => {
    const maker = await made();
    const kid = await mint(maker.secret, 'kid');
    const sibling = await mint(maker.secret, 'sibling');
    const grandchild = await mint(kid.secret, 'grandchild');
    expect((await rotate(kid.secret, maker.key.prefix)).status).toBe(403);
    expect((await rotate(kid.secret, sibling.prefix)).status).toBe(403);
    expect((await rotate(kid.secret, grandchild.prefix)).status).toBe(200);
    expect((await rotate(kid.secret, kid.prefix)).status).toBe(200);
  });
});

it('a key that a token makes ends no later than the token [R8-TRIAL3-A7]', async () => {
  const secret = 'a secret of at least thirty-two bytes';
  const here = await serverStage({ jwt: { key: { kind: 'secret', secret } } });
  onTestFinished(() => here.close());
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { sub: 'ada', tenant: 'house', scope: 'admin', exp };
  const signed = `${part({ alg: 'HS256' })}.${part(claims)}`;
  const token = `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  const make = (more = {}) =>
    here.call('POST', '/v1/keys', { key: token, body: { name: 'k', scopes: ['admin'], ...more } });
  const { body } = await make();
  expect(body.key).toMatchObject({ madeBy: 'jwt:ada', expiresAt: exp * 1000 });
  expect((await make({ expiresInDays: 1 })).status).toBe(403);
  const second = await here.call('POST', '/v1/keys', { key: body.secret, body: { name: 'k', scopes: ['admin'] } });
  expect(second.body.key.expiresAt).toBe(exp * 1000);
});
