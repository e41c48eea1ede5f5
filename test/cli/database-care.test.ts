import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../packages/flyball/src/adapters/engine-sqlite/driver.js';
import { flyball } from './in-process.js';

const folder = mkdtempSync(join(tmpdir(), 'flyball-care-'));
const at = (name: string) => join(folder, name);
const db = (name: string) => ['--db', at(name)];
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeAll(async () => {
  writeFileSync(
    at('agents.mjs'),
    "export const agents = { echo: async (run, input) => ({ stop: 'done', value: input }) };",
  );
  for (const id of ['one', 'two'])
    await flyball(['run', at('agents.mjs'), '--agent', 'echo', '--id', id, ...db('runs.db')]);
});

it('check, backup and restore say what they found and end as scripts need it [R8-OPS-CHECK] [R8-OPS-BACKUP]', async () => {
  const sound = await flyball(['check', ...db('runs.db')]);
  expect([sound.code, sound.out]).toEqual([0, expect.stringContaining('is intact: 2 runs')]);
  expect((await flyball(['backup', at('copy.db'), ...db('runs.db')])).code).toBe(0);
  expect((await flyball(['backup', at('copy.db'), ...db('runs.db')])).code).toBe(2);
  expect((await flyball(['restore', at('copy.db'), ...db('runs.db')])).code).toBe(2);
  const restored = await flyball(['restore', at('copy.db'), ...db('deep/new.db'), '--json']);
  expect(restored.code, restored.error).toBe(0);
  expect(JSON.parse(restored.out)).toMatchObject({ kind: 'restore', runs: 2, damage: 0 });
  const listed = await flyball(['runs', ...db('deep/new.db'), '--json']);
  expect(JSON.parse(listed.out).runs).toHaveLength(2);
  const database = await openDatabase(at('copy.db'));
  database.exec('UPDATE events SET at = at + 1 WHERE run = 2 AND seq = 1');
  database.close();
  const damaged = await flyball(['check', ...db('copy.db'), '--json']);
  expect(damaged.code).toBe(1);
  expect(JSON.parse(damaged.out)).toMatchObject({ ok: false, damagedRuns: ['two'] });
  expect((await flyball(['restore', at('copy.db'), ...db('other.db')])).code).toBe(9);
  expect(existsSync(at('other.db'))).toBe(false);
  expect((await flyball(['check', ...db('nowhere.db')])).code).toBe(2);
  const named = await flyball(['check', '/backups/monday.db']);
  expect(named).toMatchObject({ code: 2, error: expect.stringContaining('flyball check --db <database>') });
});

it('backup and restore name the file that is at fault [R8-REST-NAMED]', async () => {
  writeFileSync(at('cut.db'), readFileSync(at('runs.db')).subarray(0, 3_000));
  const cut = await flyball(['restore', at('cut.db'), ...db('fresh.db')]);
  expect([cut.code, cut.error]).toEqual([9, expect.stringContaining(`${at('cut.db')} is damaged in one place`)]);
  expect(cut.error).toContain(`Make a copy of ${at('cut.db')}`);
  expect(cut.error).not.toContain('fresh.db');
  const nowhere = await flyball(['backup', at('nowhere/copy.db'), ...db('runs.db')]);
  expect([nowhere.code, nowhere.error]).toEqual([2, expect.stringContaining(`There is no folder ${at('nowhere')}.`)]);
  const text = await flyball(['check', '--db', at('agents.mjs')]);
  expect([text.code, text.out]).toEqual([1, expect.stringContaining('is not a SQLite database')]);
});

it('a damaged tip is named, and check --accept-loss goes on with what the database holds [R7-TRIAL-B6]', async () => {
  await flyball(['run', at('agents.mjs'), '--agent', 'echo', '--id', 'one', ...db('tip.db')]);
  const tip = readFileSync(at('tip.db.tip'));
  tip.writeUInt8((tip[9] ?? 0) ^ 1, 9);
  writeFileSync(at('tip.db.tip'), tip);
  const refused = await flyball(['runs', ...db('tip.db')]);
  expect(refused).toMatchObject({ code: 9, error: expect.stringContaining('tip.db.tip is damaged') });
  expect(refused.error).toContain('flyball check --accept-loss');
  expect((await flyball(['check', ...db('tip.db')])).code).toBe(1);
  const accepted = await flyball(['check', '--accept-loss', ...db('tip.db')]);
  expect([accepted.code, accepted.out]).toEqual([0, expect.stringContaining('is intact: 1 run')]);
  expect((await flyball(['runs', ...db('tip.db')])).code).toBe(0);
  expect((await flyball(['check', '--accept-loss', ...db('nowhere.db')])).code).toBe(2);
  expect(existsSync(at('nowhere.db'))).toBe(false);
});
