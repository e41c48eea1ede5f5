import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { memoryStore } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type VirtualClock, virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '../../packages/flyball/src/ports/store.js';
import type { ApiKeys, NewKey } from '../../packages/server/src/access/api-keys.js';
import { apiKeys } from '../../packages/server/src/access/stored-keys.js';
import type { Log } from '../../packages/server/src/log.js';

const compared = vi.hoisted(() => [] as [number, number][]);
vi.mock('node:crypto', async (original) => {
  const real = await original<typeof import('node:crypto')>();
  return {
    ...real,
    timingSafeEqual: (a: Buffer, b: Buffer) => {
      compared.push([a.byteLength, b.byteLength]);
      return real.timingSafeEqual(a, b);
    },
  };
});

const DAY = 86_400_000;
const CI: NewKey = { name: 'ci', tenant: 'acme', scopes: ['agents:invoke', 'runs:*'] };

let clock: VirtualClock;
let store: Store;
let keys: ApiKeys;
beforeEach(() => {
  clock = virtualClock();
  store = memoryStore();
  keys = apiKeys(store, clock);
});

/** Everything that is stored, as text. */
async function stored(): Promise<string> {
  const collections = ['api-keys', 'api-key-uses'];
  const pages = collections.map((collection) => store.query({ tenant: '~server', owner: 'access', collection }));
  return JSON.stringify(await Promise.all(pages));
}

describe('a key [R6-ACCESS-KEYS]', () => {
  it('is told once, names itself by its prefix, and is stored as a hash', async () => {
    const { key, secret } = await keys.create(CI);
    expect(secret).toMatch(/^fb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}$/);
    expect(secret.slice(3, 11)).toBe(key.prefix);
    expect(await keys.principalOf(secret)).toEqual({
      id: `key:${key.prefix}`,
      kind: 'key',
      tenant: 'acme',
      subject: 'ci',
      scopes: ['agents:invoke', 'runs:*'],
      limits: {},
    });
    expect(await stored()).not.toContain(secret.slice(12));
    expect(JSON.stringify([await keys.list(), await keys.get(key.prefix)])).not.toMatch(/[0-9a-f]{64}/);
  });

  it('is another one each time', async () => {
    const made = await Promise.all(Array.from({ length: 50 }, () => keys.create(CI)));
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(50);
    expect(new Set(made.map(({ key }) => key.prefix)).size).toBe(50);
  });

  it('is refused when one character of it is another, or when it is no key at all', async () => {
    const { secret } = await keys.create(CI);
    const changed = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A');
    const longer = `${secret}A`;
    for (const wrong of [changed, longer, secret.toUpperCase(), secret.slice(3), '', 'fb_', 'x'.repeat(5000)])
      expect(await keys.principalOf(wrong)).toBeUndefined();
  });

  it('works until it expires, to the millisecond', async () => {
    const { secret } = await keys.create({ ...CI, expiresAt: clock.now() + 90 * DAY });
    await clock.advance(90 * DAY - 1);
    expect(await keys.principalOf(secret)).toBeDefined();
    await clock.advance(1);
    expect(await keys.principalOf(secret)).toBeUndefined();
    expect([await keys.any(), await keys.anyLive()]).toEqual([true, false]);
  });

  it('stops with its revocation, which stays as it was first made', async () => {
    expect(await keys.any()).toBe(false);
    const { key, secret } = await keys.create(CI);
    expect([await keys.any(), await keys.anyLive()]).toEqual([true, true]);
    const { revokedAt } = await keys.revoke(key.prefix);
    expect(await keys.principalOf(secret)).toBeUndefined();
    expect([await keys.any(), await keys.anyLive()]).toEqual([true, false]);
    await clock.advance(5_000);
    expect((await keys.revoke(key.prefix)).revokedAt).toBe(revokedAt);
    await expect(keys.rotate(key.prefix, 0)).rejects.toThrow('revoked');
  });

  it('has both secrets for the time of grace after a rotation, and only the new one after it', async () => {
    const { key, secret: first } = await keys.create(CI);
    const { key: rotated, secret: second } = await keys.rotate(key.prefix, DAY);
    expect(rotated).toMatchObject({ prefix: key.prefix, rotatedAt: clock.now(), graceUntil: clock.now() + DAY });
    expect(second.slice(0, 12)).toBe(first.slice(0, 12));
    await clock.advance(DAY - 1);
    expect(await keys.principalOf(first)).toBeDefined();
    expect(await keys.principalOf(second)).toBeDefined();
    await clock.advance(1);
    expect(await keys.principalOf(first)).toBeUndefined();
    expect(await keys.principalOf(second)).toBeDefined();
  });

  it('loses the old secret at once where there is no grace, and the one before the last in any case', async () => {
    const { key, secret: first } = await keys.create(CI);
    const { secret: second } = await keys.rotate(key.prefix, DAY);
    const { secret: third } = await keys.rotate(key.prefix, DAY);
    expect(await keys.principalOf(first)).toBeUndefined();
    expect(await keys.principalOf(second)).toBeDefined();
    const { key: last } = await keys.rotate(key.prefix, 0);
    expect(last).not.toHaveProperty('graceUntil');
    for (const old of [first, second, third]) expect(await keys.principalOf(old)).toBeUndefined();
  });

  it('says to the minute when it was last used, and nobody waits for that to be written', async () => {
    const { key, secret } = await keys.create(CI);
    expect(await keys.get(key.prefix)).not.toHaveProperty('lastUsedAt');
    const first = clock.now();
    const writes = vi.spyOn(store, 'propose');
    for (let use = 0; use < 5; use++) {
      await keys.principalOf(secret);
      await clock.advance(10_000);
    }
    expect(writes).toHaveBeenCalledTimes(1);
    expect((await keys.get(key.prefix))?.lastUsedAt).toBe(first);
    await clock.advance(10_000);
    await keys.principalOf(secret);
    await expect.poll(async () => (await keys.get(key.prefix))?.lastUsedAt).toBe(first + 60_000);
  });

  it('works when its use cannot be noted, and the log says so without the secret', async () => {
    const lines: string[] = [];
    const line = (...words: unknown[]): void => void lines.push(words.map(String).join(' ') + JSON.stringify(words));
    const log: Log = { debug: line, info: line, warn: line, error: line };
    const broken = { ...store, propose: () => Promise.reject(new Error('disk on fire')) };
    const { secret } = await keys.create(CI);
    expect(await apiKeys(broken, clock, { log }).principalOf(secret)).toBeDefined();
    await expect.poll(() => lines.join()).toContain('disk on fire');
    expect(lines.join()).not.toContain(secret.slice(12));
  });

  it.each([
    ['a tenant with capitals', { tenant: 'Acme' }],
    ['the tenant of the server itself', { tenant: '~server' }],
    ['a tenant that climbs', { tenant: '../acme' }],
    ['a tenant of 65 letters', { tenant: 'a'.repeat(65) }],
    ['no scope', { scopes: [] }],
    ['a scope with a line break', { scopes: ['runs:read\nadmin'] }],
    ['a name with a control character', { name: 'ci\u001b[2J' }],
    ['an empty name', { name: ' ' }],
    ['an end in the past', { expiresAt: 1 }],
    ['an end that is no number', { expiresAt: Number.NaN }],
    ['a negative rate', { limits: { requestsPerMinute: -1 } }],
    ['a cost that is no number', { limits: { costUsdPerDay: Number.NaN } }],
  ] as const)('is not made with %s', async (_, wrong) => {
    await expect(keys.create({ ...CI, ...wrong })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await keys.list()).toEqual([]);
  });

  it('is listed with those of its tenant only', async () => {
    await keys.create(CI);
    await keys.create({ ...CI, tenant: 'other', name: 'theirs' });
    expect((await keys.list('acme')).map(({ name }) => name)).toEqual(['ci']);
    expect(await keys.list()).toHaveLength(2);
    expect(await keys.get('nosuchke')).toBeUndefined();
  });
});

it('is compared in constant time: two digests of 32 bytes for every answer, whether it is known, wrong, revoked, expired or no key [R6-SHOW-SECURITY]', async () => {
  const good = await keys.create(CI);
  const gone = await keys.create(CI);
  await keys.revoke(gone.key.prefix);
  const over = await keys.create({ ...CI, expiresAt: clock.now() + 1 });
  await clock.advance(1);
  const rotated = await keys.create(CI);
  await keys.rotate(rotated.key.prefix, DAY);
  const cases = [
    good.secret,
    `${good.secret.slice(0, 12)}${'A'.repeat(43)}`,
    `fb_unknown2_${'A'.repeat(43)}`,
    gone.secret,
    over.secret,
    rotated.secret,
    'no key',
    '',
  ];
  const reads = vi.spyOn(store, 'get');
  for (const each of cases) {
    compared.length = 0;
    reads.mockClear();
    await keys.principalOf(each);
    expect(compared, each.slice(0, 11)).toEqual([
      [32, 32],
      [32, 32],
    ]);
    expect(reads.mock.calls.filter(([{ collection }]) => collection === 'api-keys')).toHaveLength(1);
  }
});

it('a key revoked by one process is refused by the next request to another [R6-ACCESS-KEYS]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keys-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'flyball.db');
  const [here, there] = [await sqliteEngine({ path }), await sqliteEngine({ path })];
  onTestFinished(async () => {
    await here.close();
    await there.close();
  });
  const [ours, theirs] = [apiKeys(here.store, clock), apiKeys(there.store, clock)];
  const { key, secret } = await ours.create(CI);
  expect(await theirs.principalOf(secret)).toMatchObject({ tenant: 'acme' });
  await ours.revoke(key.prefix);
  expect(await theirs.principalOf(secret)).toBeUndefined();
});
