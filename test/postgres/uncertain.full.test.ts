import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBy, entry, message, newRun } from '../../packages/flyball/src/testing/contracts/engine-fixture.js';
import { driver } from '../../packages/postgres/src/driver.js';
import { asAdmin, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined
    ? undefined
    : 'these tests configure their server, and need their own');
if (why !== undefined) process.stdout.write(`Skipped writes that PostgreSQL does not confirm: ${why}.\n`);

describe.skipIf(why !== undefined)('PostgreSQL that does not confirm a write', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await startServer();
  });
  afterAll(() => server.remove());

  async function session() {
    const { Client, types } = await driver();
    const client = new Client({
      connectionString: server.url,
      pipeline: false,
      keepAlive: false,
      connectionTimeoutMillis: 5_000,
      application_name: 'admin',
      types,
    });
    await client.connect();
    return client;
  }

  /** Commits are made, and wait for a standby that is not there. */
  async function withoutStandby(work: () => Promise<void>): Promise<void> {
    const set = (text: string) => asAdmin(server.url, text, 'SELECT pg_reload_conf()');
    const is = async () =>
      (await asAdmin(server.url, 'SHOW synchronous_standby_names'))[0]?.['synchronous_standby_names'];
    await set("ALTER SYSTEM SET synchronous_standby_names = 'standby'");
    await expect.poll(is, { interval: 20 }).toBe('standby');
    await work();
    await set('ALTER SYSTEM RESET synchronous_standby_names');
    await expect.poll(is, { interval: 20 }).toBe('');
  }

  it('is told apart from one that wrote nothing, also where the next attempt waits for the first [R19-UNCERTAIN-WAITS]', async () => {
    const engine = await open(server.url, { schema: freshSchema(), statementMs: 500, patienceMs: 500 });
    await engine.create(newRun('a'));
    await engine.create(newRun('b'));
    const claim = await claimBy(engine, 'a', 'me');
    const uncertain = { code: 'STORAGE_UNCERTAIN', retryable: false };
    await withoutStandby(async () => {
      await Promise.all([
        expect(engine.create(newRun('new'))).rejects.toMatchObject(uncertain),
        expect(engine.append(claim, { entries: [entry(1)] })).rejects.toMatchObject(uncertain),
        expect(engine.post('b', message('m'))).rejects.toMatchObject({ ...uncertain, detail: { runId: 'b' } }),
      ]);
    });
    await expect.poll(() => engine.get('new'), { interval: 50 }).toMatchObject({ id: 'new' });
    await engine.append(claim, { entries: [entry(1)] }); // it stands there already, as it is
    expect(await engine.post('b', message('m'))).toBe('duplicate');
    expect(await engine.inbox('b', 0)).toHaveLength(1);
    await engine.close();
  });

  it.each([false, true])(
    'keeps a run while a fork of it is being made, whatever isolation the database has for a default; pooled: %s [R19-PG-ISOLATION]',
    async (pooled) => {
      await asAdmin(server.url, "ALTER DATABASE postgres SET default_transaction_isolation = 'repeatable read'");
      const schema = freshSchema();
      const given = { schema, pooled };
      const [engine, other] = [await open(server.url, given), await open(server.url, given)];
      await engine.create(newRun('a'));
      const claim = await claimBy(engine, 'a', 'me');
      await engine.release(claim, { status: 'done', now: claim.record.updatedAt + 1 });
      const { updatedAt: endedAt = 0, agent = '', tenant = '', createdAt = 0 } = (await engine.get('a')) ?? {};
      const tombstone = { agent, tenant, status: 'done' as const, createdAt, endedAt, digests: [], head: '' };
      const operation = { at: endedAt + 1, by: 'op', action: 'prune' as const, of: 'a', tombstone };
      const fork = { run: 'a', generation: 0, seq: 0 } as never;
      // somebody holds up the fork in the middle of its insert: its id may be taken
      const holding = await session();
      await holding.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      await holding.query(
        `INSERT INTO ${schema}.runs SELECT (r).* FROM (SELECT jsonb_populate_record(r, '{"id": "b", "n": 1000}') AS r FROM ${schema}.runs r WHERE id = 'a') q`,
      );
      const made = engine.create(newRun('b', { fork }));
      const waiting = (n: number) => async () =>
        (await asAdmin(server.url, `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`)).length >= n;
      await expect.poll(waiting(1), { interval: 20 }).toBe(true);
      const removed = other.remove('a', operation);
      const outcome = removed.then(
        () => 'removed',
        (error: { code: string }) => error.code,
      );
      await expect.poll(waiting(2), { interval: 20 }).toBe(true);
      await holding.query('ROLLBACK');
      await holding.end();
      await made;
      expect(await outcome).toBe('RUN_KEPT');
      expect(await engine.get('a')).toMatchObject({ id: 'a' });
      await Promise.all([engine.close(), other.close()]);
      await asAdmin(server.url, 'ALTER DATABASE postgres RESET default_transaction_isolation');
    },
  );
});
