import { readFileSync } from 'node:fs';
import { budget, createRuntime, done, type Engine, type Runtime } from 'flyball';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  availableDrivers,
  type TemporaryFile,
  temporaryFile,
} from '../../packages/flyball/src/adapters/engine-sqlite/available-drivers.test-data.js';
import { openDatabase } from '../../packages/flyball/src/adapters/engine-sqlite/driver.js';
import { replace } from './damaged-world.js';

describe.each(await availableDrivers())('a run with a damaged row, on %s', (driver) => {
  let file: TemporaryFile;
  let engine: Engine;
  let runtime: Runtime;
  const acts: string[] = [];

  const open = async (concurrency = 100): Promise<void> => {
    engine = await file.open();
    runtime = createRuntime({
      engine,
      agents: {
        agent: async (run) => {
          await run.step('pay', run.id, async (id) => `${acts.push(id)} MARKER-${id}-MARKER`, 'idempotent');
          await run.wait({ name: 'go' });
          return done(run.id);
        },
      },
      onProblem: () => undefined,
      options: { suspendAfterMs: 1, worker: { concurrency } },
    });
  };
  const close = async (): Promise<void> => {
    await runtime.close();
    await engine.close();
  };
  /** Changes what is stored, past everything that would notice. */
  const tamper = async (sql: string): Promise<void> => {
    const database = await openDatabase(file.path, driver);
    database.exec(sql);
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
  };
  const stops = async (id: string): Promise<unknown> => {
    await runtime.signal(id, 'go');
    return (await runtime.handle(id).finished()).stop;
  };

  beforeEach(async () => {
    file = temporaryFile(driver);
    acts.length = 0;
    await open();
    for (const id of ['bad', 'good'])
      await (await runtime.start('agent', null, { id, budget: budget({}), tenant: 'acme' })).outcome();
    await close();
  });
  afterEach(async () => {
    await close();
    file.remove();
  });

  it('is set aside alone when a byte of it is no UTF-8, and says which entry it is [F-C7]', async () => {
    const bytes = readFileSync(file.path);
    bytes[bytes.indexOf('MARKER-bad-MARKER') + 3] = 0xff;
    replace(file, bytes);
    await open();
    expect(await stops('good')).toBe('done');
    await expect(runtime.entries('bad')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', detail: { runId: 'bad' } });
    await expect(runtime.resume('bad')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    const record = await runtime.get('bad');
    expect(record).toMatchObject({ status: 'stalled' });
    expect(record.attention).toMatch(/^Entry 3 of generation 0 of run bad is damaged/);
    expect((await runtime.list()).runs.map(({ id, status }) => [id, status])).toEqual([
      ['good', 'done'],
      ['bad', 'stalled'],
    ]);
    expect(acts).toEqual(['bad', 'good']); // paid once each, in their first lives
  });

  it.each([
    ['changed', "UPDATE events SET body = replace(body, 'bad', 'bat') WHERE run = 1 AND seq = 3", /^Entry 3 /],
    ['given another time', 'UPDATE events SET at = at + 1 WHERE run = 1 AND seq = 2', /^Entry 2 /],
    ['lost in the middle', 'DELETE FROM events WHERE run = 1 AND seq = 2', /^Entry 2 .* is missing/],
    ['lost at the end', 'DELETE FROM events WHERE run = 1 AND seq = (SELECT max(seq) FROM events)', /is missing/],
    [
      'taken from another run',
      'UPDATE events SET body = (SELECT body FROM events WHERE run = 2 AND seq = 3), checksum = (SELECT checksum FROM events WHERE run = 2 AND seq = 3) WHERE run = 1 AND seq = 3',
      /^Entry 3 /,
    ],
  ])('is set aside when an entry is %s [F-C8]', async (_how, sql, says) => {
    await tamper(sql);
    await open();
    const refused = await runtime.entries('bad').catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'JOURNAL_CORRUPT', message: expect.stringMatching(says) });
    await expect(runtime.resume('bad')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect((await runtime.get('bad')).attention).toMatch(says);
    expect(await stops('good')).toBe('done');
    expect(acts).toEqual(['bad', 'good']);
  });

  it.each([
    ['its record moved to another tenant', "UPDATE runs SET tenant = 'other' WHERE id = 'bad'"],
    ['its record has another state', "UPDATE runs SET status = 'pending' WHERE id = 'bad'"],
    ['its record is no text', "UPDATE runs SET subject = CAST(x'ff00fe' AS TEXT) WHERE id = 'bad'"],
  ])('is shown as stalled when %s, and never picked up [F-C8]', async (_how, sql) => {
    await tamper(sql);
    await open();
    expect(await stops('good')).toBe('done');
    expect(await runtime.get('bad')).toMatchObject({
      status: 'stalled',
      attention: expect.stringMatching(/^The record of run bad is damaged/),
    });
    await expect(runtime.signal('bad', 'go')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect((await runtime.list()).runs).toHaveLength(2);
    expect(acts).toEqual(['bad', 'good']);
  });

  it('keeps no place in line from the run behind it, where a worker has one place only [R10-SIM-DAMAGED-LINE]', async () => {
    await open();
    await runtime.close();
    for (const id of ['bad', 'good'])
      await engine.post(id, { id: 'm', kind: 'signal', name: 'go', from: 'ada', at: 1, body: 'null' });
    await engine.close();
    await tamper("UPDATE runs SET subject = 'eve' WHERE id = 'bad'");
    await open(1);
    expect((await runtime.handle('good').finished()).stop).toBe('done');
    expect(await runtime.get('bad')).toMatchObject({ status: 'stalled' });
    expect(acts).toEqual(['bad', 'good']);
  });

  it('is set aside when a message to it was changed or comes back [F-C8]', async () => {
    await open();
    expect(await stops('good')).toBe('done');
    await runtime.close();
    await engine.post('bad', { id: 'm', kind: 'redirect', name: '', from: 'ada', at: 1, body: '"pay Bob"' });
    await engine.close();
    await tamper("UPDATE inbox SET body = '\"pay Eve\"' WHERE id = 'm'");
    await open();
    await expect(engine.inbox('bad', 0)).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT', detail: { runId: 'bad' } });
    await expect(runtime.resume('bad')).rejects.toMatchObject({ code: 'JOURNAL_CORRUPT' });
    expect(await runtime.get('bad')).toMatchObject({ status: 'stalled' });
  });
});
