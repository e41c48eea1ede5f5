import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { contentId } from '../../core/codec.js';
import { append, claimed, entry, message, newRun, START } from '../../testing/contracts/engine-fixture.js';
import { availableDrivers, type TemporaryFile, temporaryFile } from './available-drivers.test-data.js';
import { backupDatabase, restoreDatabase } from './backup.js';
import { checkDatabase } from './check.js';
import { openDatabase } from './driver.js';

const LONG = 'a long content, '.repeat(20);

describe.each(await availableDrivers())('a database on %s', (driver) => {
  let file: TemporaryFile;
  beforeEach(() => {
    file = temporaryFile(driver);
  });
  afterEach(() => file.remove());

  const check = (path = file.path) => checkDatabase({ path, driver });
  const copyAt = (name: string) => join(dirname(file.path), name);

  /** Two runs, one with a message, a content and two generations; a record; an operation. */
  async function filled(): Promise<void> {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1, 2);
    const body = JSON.stringify({ type: 'note', text: `\u0000b${contentId(LONG)}` });
    await engine.append(claim, { entries: [entry(3, { body })], blobs: [[contentId(LONG), LONG]] });
    await engine.append(claim, { entries: [entry(0, { generation: 1 })], generation: 1 });
    await engine.post('a', message('m'));
    await engine.create(newRun('b'));
    const at = { tenant: 't', owner: 'o', collection: 'c', key: 'k' };
    await engine.store.propose(at, { id: 'p', over: 0, value: { some: 'thing' }, now: START });
    await engine.store.commit(at, 'p', START);
    await engine.hold('b', { hold: true, by: 'counsel', at: START });
    await engine.close();
  }

  const change = async (sql: string): Promise<void> => {
    const database = await openDatabase(file.path, driver);
    database.exec(sql);
    database.close();
  };

  it('is found sound, and is not touched by it [R8-OPS-CHECK]', async () => {
    await filled();
    const before = createHash('sha256').update(readFileSync(file.path)).digest('hex');
    expect(await check()).toMatchObject({ runs: 2, entries: 6, contents: 1, records: 1, operations: 1, damage: [] });
    expect(createHash('sha256').update(readFileSync(file.path)).digest('hex')).toBe(before);
    expect(readdirSync(dirname(file.path)).sort()).toEqual(['runs.db', 'runs.db.tip']);
  });

  it.each([
    ['an entry', 'UPDATE events SET at = at + 1 WHERE seq = 2 AND run = 1', 'run', 'a', /Entry 2 of generation 0/],
    ['a missing entry', 'DELETE FROM events WHERE run = 1 AND gen = 0 AND seq = 1', 'run', 'a', /missing/],
    ['a cut end', 'DELETE FROM events WHERE run = 2', 'run', 'b', /missing|empty/],
    ['a record of a run', "UPDATE runs SET status = 'done' WHERE id = 'b'", 'run', 'b', /record/],
    ['the time of a run', "UPDATE runs SET updated_at = updated_at + 1 WHERE id = 'b'", 'run', 'b', /record/],
    ['the crashes of a run', "UPDATE runs SET crashes = 1 WHERE id = 'b'", 'run', 'b', /record/],
    ['a message', "UPDATE inbox SET body = 'other'", 'run', 'a', /Message/],
    ['a content', "UPDATE blobs SET body = 'other'", 'content', contentId(LONG), /hash/],
    ['a record of the store', "UPDATE store_versions SET value = '{}'", 'record', 'c/k', /version 1/],
    ['an operation', "UPDATE operations SET body = replace(body, 'counsel', 'nobody')", 'operations', '1', /changed/],
  ])('tells of %s that was changed, and where [R8-OPS-CHECK] [R7-TRIAL-B9]', async (_what, sql, what, id, why) => {
    await filled();
    await change(sql);
    const { damage, damagedRuns } = await check();
    expect(damage).toContainEqual({ what, id, why: expect.stringMatching(why) });
    if (what === 'run') expect(damagedRuns).toEqual([id]);
    if (what === 'content') expect(damagedRuns).toEqual(['a']);
  });

  it.each([
    ['in a comment', '-- 0 for the first link', '-- 1 for the first link'],
    ['in a condition', "status = 'pending' OR", "status = 'pendjng' OR"],
    ['in the name of a column', 'erased_at INTEGER', 'erased_it INTEGER'],
  ])('tells of a table whose definition was changed %s [R7-TRIAL-B9]', async (_where, was, is) => {
    await filled();
    const bytes = readFileSync(file.path);
    const at = bytes.indexOf(was);
    expect(at).toBeGreaterThan(0);
    bytes.write(is, at);
    writeFileSync(file.path, bytes);
    expect((await check()).damage).toContainEqual({
      what: 'file',
      id: file.path,
      why: expect.stringContaining('is not defined as it was made'),
    });
    await expect(file.open()).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
      message: expect.stringContaining('is not defined as it was made'),
    });
  });

  it('tells of a tip that is damaged or missing, and of entries that are gone [R7-TRIAL-B6]', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1, 2);
    const tip = readFileSync(`${file.path}.tip`);
    tip.writeUInt8((tip[100] ?? 0) ^ 4, 100);
    writeFileSync(`${file.path}.tip`, tip);
    expect((await check()).damage).toMatchObject([{ what: 'file', why: expect.stringContaining('.tip is damaged') }]);
    rmSync(`${file.path}.tip`);
    expect(await check()).toMatchObject({ damage: [], notes: [expect.stringContaining('.tip is missing')] });
    await engine.close();
    expect(await check()).toMatchObject({ damage: [], notes: [] }); // whole by itself
  });

  it('tells of a file that is no database any more', async () => {
    await filled();
    const bytes = readFileSync(file.path);
    bytes.fill(7, 0, 4_096);
    writeFileSync(file.path, bytes);
    expect((await check()).damage).toMatchObject([{ what: 'file' }]);
    await expect(checkDatabase({ path: copyAt('nothing.db'), driver })).rejects.toThrow('There is no database');
  });

  it('is copied while it is written to, as it was at one moment, and goes on from the copy [R8-OPS-BACKUP]', async () => {
    const engine = await file.open();
    const claim = await claimed(engine, 'a');
    let seq = 0;
    let isWriting = true;
    const writing = (async () => {
      while (isWriting) await append(engine, claim, ++seq);
    })();
    const taken = [];
    for (const name of ['one.db', 'two.db']) {
      taken.push(await backupDatabase({ from: file.path, to: copyAt(name), driver }));
      for (const before = seq; seq < before + 3; ) await new Promise((resolve) => setImmediate(resolve));
    }
    isWriting = false;
    await writing;
    await engine.close();
    for (const { to, report } of taken) {
      expect(report.damage).toEqual([]);
      const copy = temporaryFile(driver);
      await restoreDatabase({ from: to, to: copy.path, driver });
      const again = await copy.open();
      expect(await again.read('a', { generation: 0 })).toHaveLength(report.entries);
      await again.close();
      copy.remove();
    }
    expect(taken[1]?.report.entries).toBeGreaterThan(taken[0]?.report.entries ?? 0);
  });

  it('is never overwritten, by a backup or by a restore [R8-OPS-BACKUP]', async () => {
    await filled();
    await backupDatabase({ from: file.path, to: copyAt('copy.db'), driver });
    const taken = /exists, and nothing is ever overwritten/;
    await expect(backupDatabase({ from: file.path, to: copyAt('copy.db'), driver })).rejects.toThrow(taken);
    await expect(restoreDatabase({ from: copyAt('copy.db'), to: file.path, driver })).rejects.toThrow(taken);
    expect(existsSync(copyAt('copy.db'))).toBe(true);
  });

  it('is not copied under the name of a file that belongs to a database, nor beside such files [R7-TRIAL-B11]', async () => {
    await filled();
    for (const end of ['-wal', '-shm', '-journal', '.tip']) {
      rmSync(file.path + end, { force: true });
      await expect(backupDatabase({ from: file.path, to: file.path + end, driver })).rejects.toMatchObject({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('Choose another name'),
      });
      writeFileSync(copyAt(`copy.db${end}`), 'left by another database');
      await expect(backupDatabase({ from: file.path, to: copyAt('copy.db'), driver })).rejects.toThrow('exists');
      rmSync(copyAt(`copy.db${end}`));
    }
    expect(readdirSync(dirname(file.path))).toEqual(['runs.db']);
  });

  it('that is damaged is not copied as if it were sound [R8-OPS-BACKUP]', async () => {
    await filled();
    await change("UPDATE blobs SET body = 'other'");
    await expect(backupDatabase({ from: file.path, to: copyAt('copy.db'), driver })).rejects.toMatchObject({
      code: 'JOURNAL_CORRUPT',
    });
    expect(readdirSync(dirname(file.path)).sort()).toEqual(['runs.db', 'runs.db.tip']);
    const asIs = await backupDatabase({ from: file.path, to: copyAt('copy.db'), driver, evenDamaged: true });
    expect(asIs.report.damagedRuns).toEqual(['a']);
    await expect(restoreDatabase({ from: copyAt('copy.db'), to: copyAt('new.db'), driver })).rejects.toThrow(
      `${copyAt('copy.db')} is damaged in`,
    );
    expect(existsSync(copyAt('new.db'))).toBe(false);
  });
});
