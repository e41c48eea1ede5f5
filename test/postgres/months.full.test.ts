import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { engineContract } from 'flyball/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { possibleReferences } from '../../packages/flyball/src/core/references.js';
import { Connection } from '../../packages/postgres/src/connection.js';
import type { PostgresEngine } from '../../packages/postgres/src/index.js';
import { settle } from '../../packages/postgres/src/options.js';
import { appends } from '../../packages/postgres/src/write-statements.js';
import { patient } from '../patience.js';
import { expectWhole, written } from './load.js';
import { finished, monthsOf, PAST, removal } from './months.js';
import { claimBy, entry, newRun, START } from './runs.js';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped journals by month on PostgreSQL: ${why}.\n`);

const next = (month: number): number => (month % 100 === 12 ? month + 89 : month + 1);

describe.skipIf(why !== undefined)('journals by month on PostgreSQL', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  let schema: string;
  let months: ReturnType<typeof monthsOf>;
  let engine: PostgresEngine;
  const collect = () => engine.collect(possibleReferences);
  const bodies = async (id: string) => (await engine.read(id, { generation: 0 })).length;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());
  beforeEach(async () => {
    schema = freshSchema();
    months = monthsOf(server.url, schema);
    engine = await open(server.url, { schema });
  });
  afterEach(() => engine.close());

  /** Some runs of a month that is over, which has a partition. */
  async function inThePast(...ids: readonly string[]): Promise<void> {
    await months.make(PAST);
    await months.turnTo(PAST);
    for (const id of ids) await finished(engine, id);
    await months.turnTo();
  }

  async function ahead(): Promise<readonly string[]> {
    const now = await months.thisMonth();
    return [...[now, next(now), next(next(now))].map((month) => `events_${month}`), 'events_default'];
  }

  it('have a partition for this month and the next two when engines are opened, and while they are open [R10-PG-MONTHS]', async () => {
    expect(await months.partitions()).toEqual(await ahead());
    const other = freshSchema();
    const engines = await Promise.all(Array.from({ length: 6 }, () => open(server.url, { schema: other })));
    expect(await monthsOf(server.url, other).partitions()).toEqual(await ahead());
    await Promise.all(engines.map((one) => one.close()));
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const later = await open(server.url, { schema });
    const [, soon] = await ahead();
    await months.sql(`DROP TABLE ${schema}.${soon}`);
    vi.advanceTimersByTime(12 * 3_600_000);
    await expect.poll(months.partitions).toEqual(await ahead());
    await later.close();
  });

  it('are looked for in one partition, however many there are [R10-PG-MONTHS]', async () => {
    await inThePast('old');
    for (let month = PAST + 1; month <= PAST + 8; month += 1) await months.make(month);
    const counted = async () => {
      const found = await months.sql(
        `SELECT relname, seq_scan + idx_scan AS looks FROM pg_stat_user_tables
          WHERE schemaname = '${schema}' AND relname LIKE 'events_%' ORDER BY relname`,
      );
      return Object.fromEntries(found.map((row) => [row['relname'] as string, Number(row['looks'])]));
    };
    /** Before version 15, a process of its own counts, and hears of what was done half a second later. */
    const looks = async (): ReturnType<typeof counted> => {
      const first = await counted();
      await sleep(700);
      return isDeepStrictEqual(first, await counted()) ? first : looks();
    };
    await engine.close(); // it tells the statistics what it has done
    const [current = ''] = await ahead();
    engine = await open(server.url, { schema });
    const before = await looks();
    // often enough for plans that are kept: made without knowing any value
    for (let n = 0; n < 12; n += 1) {
      await finished(engine, `run-${n}`);
      expect(await bodies(`run-${n}`)).toBe(4);
      expect(await bodies('old')).toBe(4);
      await engine.weigh([`run-${n}`, 'old'], possibleReferences);
      await engine.remove(`run-${n}`, removal(`run-${n}`));
    }
    await engine.close();
    const after = await looks();
    engine = await open(server.url, { schema });
    const looked = Object.keys(after).filter((name) => after[name] !== before[name]);
    expect(looked).toEqual([`events_${PAST}`, current]);

    await engine.create(newRun('a'));
    const claim = await claimBy(engine, 'a', 'me');
    const work = { kind: 'append' as const, claim, batch: { entries: [entry(1)] }, resolve() {}, reject() {} };
    const { text, values = [] } = appends(schema, [work]);
    const connection = new Connection(settle({ url: server.url, schema }), { check: async () => undefined });
    const [plan = []] = await connection.run([{ text: `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`, values }]);
    await connection.close();
    const scans = plan.map((row) => row['QUERY PLAN'] as string).filter((line) => /Scan.* on events_/.test(line));
    expect(scans.length).toBeGreaterThan(10);
    const made = scans.filter((line) => !line.includes('never executed'));
    expect(made).toEqual([expect.stringContaining(` on ${current} `)]);
  });

  it.each(['held', 'needed by a fork', 'open'])(
    'go as a whole once nothing is left in the month; while a run in it is %s, those of the others go [R10-PG-MONTHS]',
    async (state) => {
      await inThePast('stays', 'goes');
      const hold = (is: boolean) => engine.hold('stays', { hold: is, by: 'counsel', at: START });
      if (state === 'held') await hold(true);
      if (state === 'needed by a fork')
        await engine.create(newRun('fork', { fork: { run: 'stays', generation: 0, seq: 1 } }));
      if (state === 'open') await months.sql(`UPDATE ${schema}.runs SET status = 'suspended' WHERE id = 'stays'`);
      const blobs = [['hash-of-a-content-22-ch', 'the content']] as const;
      await months.sql(
        `UPDATE ${schema}.events SET body = '"${blobs[0][0]}"' WHERE run = 'goes' AND seq = 3`,
        `INSERT INTO ${schema}.blobs VALUES ('tenant', '${blobs[0][0]}', '${blobs[0][1]}')`,
      );
      await expect(engine.remove('stays', removal('stays'))).rejects.toMatchObject({ code: 'RUN_KEPT' });
      await engine.remove('goes', removal('goes'));
      expect(await months.stored('goes')).toEqual({ [`events_${PAST}`]: 4 }); // nobody deletes them twice
      expect([await bodies('goes'), await engine.get('goes')]).toEqual([0, undefined]);
      expect(await collect()).toEqual({ contents: 1, links: 0 });
      expect(await months.stored('goes')).toEqual({});
      expect(await bodies('stays')).toBe(4);
      expect(await months.partitions()).toContain(`events_${PAST}`);

      if (state === 'held') await hold(false);
      await finished(engine, 'now');
      if (state === 'needed by a fork') {
        const claim = await claimBy(engine, 'fork', 'me');
        await engine.release(claim, { status: 'done', now: START });
        await engine.remove('fork', removal('fork'));
      }
      if (state === 'open') {
        const claim = await claimBy(engine, 'stays', 'me');
        await engine.append(claim, { entries: [entry(4)] });
        await engine.release(claim, { status: 'done', now: START });
      }
      await engine.remove('stays', removal('stays'));
      await collect();
      expect(await months.partitions()).toEqual(await ahead());
      expect(await bodies('now')).toBe(4);
    },
  );

  it('go at once when a run is erased, or restored in a later month, and when they are of this month [R10-PG-MONTHS]', async () => {
    await inThePast('stays', 'erased', 'back');
    await engine.remove('erased', removal('erased', 'erase'));
    expect(await months.stored('erased')).toEqual({});
    const [record, entries] = [await engine.get('back'), await engine.read('back', { generation: 0 })];
    if (record === undefined) throw new Error('no record');
    await engine.remove('back', removal('back', 'archive'));
    expect(await months.stored('back')).toEqual({ [`events_${PAST}`]: 4 });
    const operation = { at: START, by: 'operator', action: 'restore', of: 'back' } as const;
    await engine.restore({ record, entries, blobs: [], links: [] }, operation);
    expect(await months.stored('back')).toEqual({ [(await ahead())[0] ?? '']: 4 });
    await collect();
    expect(await engine.read('back', { generation: 0 })).toEqual(entries);
    await engine.remove('back', removal('back'));
    expect(await months.stored('back')).toEqual({});
  });

  it('are dropped without a failed or lost append, also while others use the month [R10-PG-MONTHS]', async () => {
    let dropped = 0;
    const counts = await written(engine, { runs: 24, least: 40 }, async () => {
      await months.make(PAST);
      await collect();
      dropped += 1;
      return dropped === 12;
    });
    expect(await months.partitions()).toEqual(await ahead());
    await expectWhole(engine, counts);

    await inThePast('goes');
    await engine.remove('goes', removal('goes'));
    await finished(engine, 'late'); // a transaction from before the month ended, of somebody slow
    const coming = months.sql(
      'BEGIN',
      ...['runs SET month = $ WHERE id', 'events SET month = $ WHERE run'].map(
        (change) => `UPDATE ${schema}.${change.replace('$', `${PAST}`)} = 'late'`,
      ),
      'SELECT pg_sleep(0.6)',
      'COMMIT',
    );
    const isComing = () => months.sql(`SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(0.6)'`);
    await expect.poll(isComing, { interval: 5 }).toHaveLength(1);
    await collect();
    await coming;
    expect([await bodies('late'), await months.partitions()]).toEqual([4, [`events_${PAST}`, ...(await ahead())]]);
    await engine.remove('late', removal('late'));
    expect(await months.stored('late')).toEqual({ [`events_${PAST}`]: 4 });

    const reading = asAdmin(
      server.url,
      'BEGIN',
      `SELECT count(*) FROM ${schema}.events_${PAST}`,
      'SELECT pg_sleep(600)',
    ).catch(() => undefined);
    const who = () => months.sql(`SELECT pid FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(600)'`);
    await expect.poll(who).toHaveLength(1);
    await engine.close();
    engine = await open(server.url, { schema, statementMs: 3_600_000 }); // which is not what ends the waiting
    const working = Promise.all([collect(), ...['x', 'y', 'z'].map((id) => finished(engine, id))]);
    const isHung = sleep(patient(20_000), 'hung', { ref: false });
    expect(await Promise.race([working.then(() => 'done'), isHung])).toBe('done');
    expect(await months.stored('late')).toEqual({ [`events_${PAST}`]: 4 }); // the next collection drops them
    await months.sql(`SELECT pg_terminate_backend(${String((await who())[0]?.['pid'])})`);
    await reading;
    await collect();
    expect(await months.partitions()).toEqual(await ahead());
  });

  it('are in the default partition where the user may not make another, and are deleted there [R10-PG-MONTHS]', async () => {
    await inThePast('stays', 'goes');
    const role = `weak_${schema}`;
    for (const name of await ahead()) if (name !== 'events_default') await months.sql(`DROP TABLE ${schema}.${name}`);
    await months.sql(
      `CREATE ROLE ${role} LOGIN`,
      `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
      `GRANT ALL ON ALL TABLES IN SCHEMA ${schema} TO ${role}`,
      `GRANT ALL ON ALL SEQUENCES IN SCHEMA ${schema} TO ${role}`,
    );
    const owned = engine;
    const url = new URL(server.url);
    url.username = role;
    engine = await open(url.href, { schema });
    expect(await months.partitions()).toEqual([`events_${PAST}`, 'events_default']);
    await finished(engine, 'a');
    await finished(engine, 'b');
    expect(await months.stored('a')).toEqual({ events_default: 4 });
    await months.turnTo(PAST + 1); // over, and without a partition
    await finished(engine, 'older');
    await months.turnTo();
    for (const id of ['a', 'older', 'goes', 'stays']) await engine.remove(id, removal(id));
    expect([await months.stored('a'), await months.stored('older')]).toEqual([{}, {}]);
    await collect();
    expect([await months.stored('goes'), await months.stored('stays')]).toEqual([{}, {}]);
    await engine.close();

    // somebody who may opens it: what is there stays where it is
    engine = await open(server.url, { schema });
    const [current, ...others] = await ahead();
    expect(await months.partitions()).toEqual([`events_${PAST}`, ...others]);
    expect(current).toBeDefined();
    expect(await bodies('b')).toBe(4);
    await finished(engine, 'c');
    expect(await months.stored('c')).toEqual({ events_default: 4 });
    await engine.remove('b', removal('b'));
    expect(await months.stored('b')).toEqual({});
    await collect();
    expect(await months.partitions()).toEqual(others);
    await owned.close();
  });
});

if (why === undefined) {
  const server = await sharedServer();
  afterAll(() => server.remove());
  const opened = async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    await monthsOf(server.url, schema).make(PAST);
    await monthsOf(server.url, schema).turnTo(PAST);
    return { engine, reopen: () => open(server.url, { schema }), close: () => engine.close() };
  };
  engineContract({ describe, it }, 'postgres, with runs of a month that is over [R10-PG-MONTHS]', opened);
}
