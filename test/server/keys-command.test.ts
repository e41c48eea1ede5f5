import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiKey } from '../../packages/server/src/access/api-keys.js';
import type { Principal } from '../../packages/server/src/access/principal.js';
import { apiKeys } from '../../packages/server/src/access/stored-keys.js';
import { flyball as command, type Said } from '../cli/in-process.js';

let folder: string;
let db: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-'));
  db = join(folder, 'flyball.db');
});
afterEach(() => rmSync(folder, { recursive: true }));

const keys = (...words: string[]): Promise<Said> => command(['keys', ...words, '--db', db]);
const told = <T>({ out }: Said): T => JSON.parse(out) as T;
const made = async (...words: string[]): Promise<{ key: ApiKey; secret: string }> =>
  told(await keys('create', '--name', 'ci', '--scope', 'runs:*', ...words, '--json'));

/** What a server over the same database makes of a secret. */
async function principalOf(secret: string): Promise<Principal | undefined> {
  const engine = await sqliteEngine({ path: db });
  try {
    return await apiKeys(engine.store, systemClock()).principalOf(secret);
  } finally {
    await engine.close();
  }
}

describe('flyball keys [R6-CLI-KEYS]', () => {
  it('says of a scope that no route asks for that it opens none, and makes the key', async () => {
    const { code, out, error } = await keys('create', '--name', 'ci', '--scope', 'agent:invoke', '--scope', 'agents:*');
    expect(code).toBe(0);
    expect(out).toContain('fb_');
    expect(error).toContain('agent:invoke does not give access to any route');
    expect(error).not.toContain('agents:*');
  });

  it('creates a key that a server knows, and tells its secret once and what to do with it', async () => {
    const said = await keys(
      'create',
      '--name',
      'site',
      '--tenant',
      'acme',
      '--scope',
      'agents:*',
      '--scope',
      'runs:read',
    );
    expect(said.code, said.error).toBe(0);
    const [secret = ''] = /fb_[a-z0-9]{8}_[A-Za-z0-9_-]{43}/.exec(said.out) ?? [];
    expect(said.out).toMatch(/Store it now.*not shown again/);
    expect(said.out).toContain('Authorization: Bearer');
    expect(await principalOf(secret)).toMatchObject({
      tenant: 'acme',
      subject: 'site',
      scopes: ['agents:*', 'runs:read'],
    });
    const listed = await keys('list');
    expect(listed.out).toContain(secret.slice(3, 11));
    expect(listed.out + (await keys('list', '--json')).out).not.toContain(secret.slice(12));
    const files = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'latin1'));
    expect(files.join()).not.toContain(secret.slice(12));
  });

  it('creates a key with an end, limits and somebody it speaks for', async () => {
    const before = Date.now();
    const { key } = await made('--expires', '90d', '--rate', '60', '--cost-per-day', '2.50', '--subject', 'maria');
    expect(key).toMatchObject({
      tenant: 'default',
      subject: 'maria',
      limits: { requestsPerMinute: 60, costUsdPerDay: 2.5 },
    });
    expect((key.expiresAt ?? 0) - before).toBeGreaterThanOrEqual(90 * 86_400_000);
    expect((key.expiresAt ?? 0) - before).toBeLessThan(90 * 86_400_000 + 60_000);
    expect((await keys('list')).out).toMatch(
      /ci {2}tenant default {2}for maria {2}expires .*\n.*60 requests\/min {2}\$2\.5\/day {2}never used/,
    );
  });

  it('lists those of one tenant, and none where there is no database, which it does not make', async () => {
    expect((await keys('list')).out).toContain('There are no keys');
    expect(existsSync(db)).toBe(false);
    await made();
    await made('--tenant', 'acme');
    const { keys: found } = told<{ keys: ApiKey[] }>(await keys('list', '--tenant', 'acme', '--json'));
    expect(found.map(({ tenant }) => tenant)).toEqual(['acme']);
  });

  it('rotates a key: both secrets work in the time of grace, and without one only the new', async () => {
    const { key, secret: first } = await made();
    const { secret: second } = told<{ secret: string }>(await keys('rotate', key.prefix, '--grace', '24h', '--json'));
    expect(await principalOf(first)).toBeDefined();
    expect(await principalOf(second)).toBeDefined();
    expect((await keys('list')).out).toContain('old secret until');
    const shown = await keys('rotate', `fb_${key.prefix}`, '--grace', '0s');
    expect(shown.out).toMatch(/not shown again/);
    expect(await principalOf(second)).toBeUndefined();
  });

  it('revokes a key, which then stays in the list', async () => {
    const { key, secret } = await made();
    expect((await keys('revoke', key.prefix)).out).toContain(`Key ${key.prefix} (ci) is revoked`);
    expect(await principalOf(secret)).toBeUndefined();
    expect((await keys('list')).out).toMatch(/revoked \d{4}-\d\d-\d\d/);
    const rotated = await keys('rotate', key.prefix);
    expect([rotated.code, rotated.error]).toEqual([2, expect.stringContaining('Create a new one')]);
  });

  it('says which key is not there, without repeating more of it than the prefix', async () => {
    const secret = `fb_abcdefgh_${'s'.repeat(43)}`;
    for (const words of [
      ['revoke', secret],
      ['rotate', secret],
    ]) {
      const said = await keys(...words);
      expect(said.code).toBe(7);
      expect(said.error).toContain('There is no key abcdefgh.');
      expect(said.error).toContain('keys list');
      expect(said.error + said.out).not.toContain('ssss');
    }
    expect(existsSync(db)).toBe(false);
    expect(told(await keys('revoke', 'nonsense-that-is-long', '--json'))).toMatchObject({
      code: 'KEY_NOT_FOUND',
      exitCode: 7,
    });
  });

  it.each([
    [['create', '--scope', 'admin'], /--name/],
    [['create', '--name', 'x'], /--scope/],
    [['create', '--name', 'x', '--scope', 'Runs Read'], /scope must look like/],
    [['create', '--name', 'x', '--scope', 'admin', '--tenant', '../x'], /tenant/],
    [['create', '--name', 'x', '--scope', 'admin', '--expires', 'soon'], /90d/],
    [['create', '--name', 'x', '--scope', 'admin', '--expires', '0d'], /future/],
    [['create', '--name', 'x', '--scope', 'admin', '--rate', 'many'], /--rate takes a number/],
    [['create', '--name', 'x', '--scope', 'admin', '--cost-per-day', '-1'], /--cost-per-day takes a number/],
    [['rotate', 'abcdefgh', '--grace', '99999w'], /--grace/],
    [['rotate'], /prefix/],
  ])('refuses %j with what is wrong, and makes nothing', async (words, message) => {
    const said = await keys(...words);
    expect(said.code).toBe(2);
    expect(said.error).toMatch(message);
    expect(said.out).toBe('');
    if (existsSync(db)) expect(told<{ keys: unknown[] }>(await keys('list', '--json')).keys).toEqual([]);
  });

  it('explains itself', async () => {
    expect((await command(['keys', '--help'])).out).toContain('flyball keys rotate');
    const { out } = await command(['keys', 'create', '--help']);
    for (const scope of ['agents:read', 'runs:control', 'approvals:decide', 'tools:execute', 'admin'])
      expect(out).toContain(scope);
  });

  it('says who made a key, revokes it with the key that made it, and names it where it is kept [R8-REST-MINTED] [R8-TRIAL3-A7]', async () => {
    const { key: first } = await made('--tenant', 'acme');
    const engine = await sqliteEngine({ path: db });
    const minting = { name: 'bot', tenant: 'acme', scopes: ['runs:*'], madeBy: `key:${first.prefix}` };
    const { key: second, secret } = await apiKeys(engine.store, systemClock()).create(minting);
    await engine.close();
    expect((await keys('list')).out).toContain(`never used  made by key:${first.prefix}`);
    const alone = await keys('revoke', first.prefix, '--keep-minted');
    expect(alone.out).toContain(`Keys that it made and that still work: ${second.prefix}.`);
    expect(alone.out).toContain(`flyball keys revoke ${first.prefix}`);
    expect(await principalOf(secret)).toBeDefined();
    const both = await keys('revoke', first.prefix);
    expect(both.out).toContain(`Key ${second.prefix} (bot), which it made, is revoked too.`);
    expect(both.out).not.toContain('still work');
    expect(await principalOf(secret)).toBeUndefined();
  });
});
