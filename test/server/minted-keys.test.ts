import { memoryStore } from 'flyball';
import { virtualClock } from 'flyball/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ApiKeys } from '../../src/server/access/api-keys.js';
import { mintedBy, revokeWithMinted } from '../../src/server/access/minted-keys.js';
import { apiKeys } from '../../src/server/access/stored-keys.js';
import { keyRoutes } from '../../src/server/routes/keys.js';
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

  it('outlive its revocation, which names those that still work [R8-REST-MINTED]', async () => {
    const { first, second, third } = await family();
    const { status, body } = await revoke(first.prefix);
    expect({ status, minted: body.minted }).toEqual({
      status: 200,
      minted: { revoked: [], working: [second.prefix, third.prefix] },
    });
    expect(await Promise.all([first, second, third].map(works))).toEqual([false, true, true]);
  });

  it('are revoked with it where that is asked for, down to the last, and no others [R8-REST-MINTED]', async () => {
    const { first, second, third, other } = await family();
    const { body } = await revoke(first.prefix, '?withMinted=true');
    expect(body).toMatchObject({
      prefix: first.prefix,
      revokedAt: expect.any(Number),
      minted: { revoked: [second.prefix, third.prefix], working: [] },
    });
    expect(await Promise.all([first, second, third, other].map(works))).toEqual([false, false, false, true]);
    const again = await revoke(first.prefix, '?withMinted=true');
    expect(again.body.minted).toEqual({ revoked: [], working: [] });
  });

  it('are found through a key that was revoked before [R8-REST-MINTED]', async () => {
    const { first, second, third } = await family();
    await revoke(second.prefix);
    expect((await revoke(first.prefix, '?withMinted=true')).body.minted.revoked).toEqual([third.prefix]);
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
    const principal = { id: `key:${maker.prefix}`, kind: 'key', tenant: 'house', subject: 'maker', limits: {} };
    const made = create?.handle({ principal, body: { name: 'late', scopes: ['admin'] } } as never);
    await expect(made).rejects.toMatchObject({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await mintedBy(keys, maker)).toMatchObject([{ name: 'late', revokedAt: expect.any(Number) }]);
    expect(await keys.any()).toBe(false);
  });
});
