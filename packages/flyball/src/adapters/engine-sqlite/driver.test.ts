import { expect, it } from 'vitest';
import { availableDrivers, temporaryFile } from './available-drivers.test-data.js';
import { sqliteEngine } from './engine.js';
import { nodeSqlite } from './node-sqlite-driver.js';

const hasNodeSqlite = nodeSqlite() !== undefined;
const drivers = await availableDrivers();

it('uses the SQLite of Node where there is one, and libsql where there is none [R2-ENGINE-DRIVERS]', async () => {
  const file = temporaryFile();
  const engine = await file.open();
  expect(engine.driver).toBe(hasNodeSqlite ? 'node:sqlite' : 'libsql');
  await engine.close();
  file.remove();
});

it.skipIf(hasNodeSqlite)('says how to get a driver that this Node does not have', async () => {
  const file = temporaryFile('node:sqlite');
  await expect(file.open()).rejects.toMatchObject({
    code: 'DRIVER_MISSING',
    message: expect.stringContaining('npm i libsql'),
  });
  file.remove();
});

it('restores the warnings of the process after it has looked for the module', () => {
  const before = process.emitWarning;
  nodeSqlite();
  expect(process.emitWarning).toBe(before);
});

it('refuses what is not the path of a file', async () => {
  for (const path of ['', ':memory:', 'file:runs.db?mode=memory']) {
    await expect(sqliteEngine({ path })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  }
});

it.each(drivers)('refuses names that would come back as others, on %s', async (driver) => {
  const file = temporaryFile(driver);
  const engine = await file.open();
  await expect(engine.get('a\u0000b')).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(engine.store.get({ tenant: 't', owner: '\ud800', collection: 'c', key: 'k' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
  await engine.close();
  file.remove();
});

it.runIf(drivers.length === 2)('opens with one driver what the other has written [R2-ENGINE-DRIVERS]', async () => {
  const file = temporaryFile();
  const written = await file.open({ driver: 'libsql' });
  await written.create({
    id: 'a',
    agent: 'agent',
    version: '1',
    tenant: 't',
    subject: 's',
    createdAt: 1,
    first: { entries: [], blobs: [['n4bQgYhMfWWaL-qgxVrQ_w', 'content']] },
  });
  await written.close();
  const read = await file.open({ driver: 'node:sqlite' });
  expect((await read.get('a'))?.agent).toBe('agent');
  expect((await read.blobs('t', ['n4bQgYhMfWWaL-qgxVrQ_w'])).size).toBe(1);
  await read.close();
  file.remove();
});
