import { describe, expect, it } from 'vitest';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';
import { openDatabase } from './driver.js';
import { configure, migrate, SCHEMA_VERSION, schemaVersion } from './schema.js';

const first = 'CREATE TABLE notes (n INTEGER PRIMARY KEY, body TEXT)';
const second = "ALTER TABLE notes ADD COLUMN tag TEXT NOT NULL DEFAULT 'old'";

describe.each(await availableDrivers())('the schema on %s', (driver) => {
  it('syncs every commit, and never lets SQLite wait in the thread [R2-ENGINE-SQLITE]', async () => {
    const { path, open, remove } = temporaryFile(driver);
    await (await open()).close();
    const database = await openDatabase(path, driver);
    configure(database, path);
    expect(database.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' });
    expect(database.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 });
    expect(database.get('PRAGMA busy_timeout')).toMatchObject({ timeout: 0 });
    database.close();
    remove();
  });

  it('brings an older file up to date and keeps what it holds [R2-ENGINE-MIGRATION]', async () => {
    const { path, remove } = temporaryFile(driver);
    const database = await openDatabase(path, driver);
    migrate(database, path, [first]);
    database.run("INSERT INTO notes (body) VALUES ('kept')");
    migrate(database, path, [first, second]);
    expect(schemaVersion(database, path, 2)).toBe(2);
    expect(database.get('SELECT body, tag FROM notes')).toMatchObject({ body: 'kept', tag: 'old' });
    migrate(database, path, [first, second]); // nothing left to do
    expect(() => migrate(database, path, [first])).toThrow(/newer version \(schema 2; this one knows 1\)/);
    database.close();
    remove();
  });

  it('changes nothing when a migration fails half way', async () => {
    const { path, remove } = temporaryFile(driver);
    const database = await openDatabase(path, driver);
    migrate(database, path, [first]);
    expect(() => migrate(database, path, [first, `${second}; SELECT nonsense FROM nowhere`])).toThrow();
    expect(schemaVersion(database, path, 2)).toBe(1);
    expect(database.all('SELECT * FROM notes')).toEqual([]);
    expect(() => database.all('SELECT tag FROM notes')).toThrow();
    database.close();
    remove();
  });

  it('tells why a migration failed, also where SQLite has rolled it back by itself [R7-TRIAL-B10]', async () => {
    const { path, remove } = temporaryFile(driver);
    const database = await openDatabase(path, driver);
    const rolledBack = {
      ...database,
      exec: (sql: string): void => {
        if (sql === second) {
          database.exec('ROLLBACK'); // as SQLite does on a full disk
          throw new Error('database or disk is full');
        }
        database.exec(sql);
      },
    };
    migrate(database, path, [first]);
    expect(() => migrate(rolledBack, path, [first, second])).toThrow('database or disk is full');
    database.close();
    remove();
  });

  it('refuses a file of a newer version and leaves it as it is [R2-BAD-NEWER] [V10.9] [V10.acceptance]', async () => {
    const { path, open, remove } = temporaryFile(driver);
    await (await open()).close();
    const database = await openDatabase(path, driver);
    database.run("UPDATE flyball_meta SET value = ? WHERE key = 'schema'", SCHEMA_VERSION + 1);
    database.close();
    await expect(open()).rejects.toMatchObject({
      code: 'JOURNAL_NEWER',
      message: expect.stringContaining('Upgrade flyball'),
    });
    remove();
  });

  it("refuses another program's database and leaves it as it is", async () => {
    const { path, open, remove } = temporaryFile(driver);
    const database = await openDatabase(path, driver);
    database.exec('CREATE TABLE customers (id INTEGER PRIMARY KEY)');
    database.close();
    await expect(open()).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    const after = await openDatabase(path, driver);
    expect(after.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'delete' });
    expect(after.all('SELECT name FROM sqlite_master')).toMatchObject([{ name: 'customers' }]);
    after.close();
    remove();
  });

  it('is created once when several engines open a new file at the same time', async () => {
    const { open, remove } = temporaryFile(driver);
    const engines = await Promise.all([open(), open(), open()]);
    for (const engine of engines) await engine.close();
    remove();
  });
});
