import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { budget, createRuntime, done } from 'flyball';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { patient } from '../patience.js';
import { expectWhole, written } from './load.js';
import { type LossyProxy, proxyTo } from './proxy.js';
import { claimBy, entry, newRun, owner, START } from './runs.js';
import { asAdmin, freshSchema, open, startServer, type TestServer, whyNoServer } from './server.js';

const why =
  whyNoServer() ??
  (process.env['FLYBALL_POSTGRES_URL'] === undefined ? undefined : 'these tests kill their server, and need their own');
if (why !== undefined) process.stdout.write(`Skipped faults of PostgreSQL: ${why}.\n`);

const CUT = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'flyball'";
const message = (id: string) => ({ id, kind: 'signal' as const, name: 'go', from: 'rita', at: START, body: '1' });

describe.skipIf(why !== undefined)('PostgreSQL that fails', () => {
  let server: TestServer;
  let proxy: LossyProxy;
  const sql = (...texts: readonly string[]) => asAdmin(server.url, ...texts);

  beforeAll(async () => {
    server = await startServer();
    proxy = await proxyTo(server.port);
  });
  afterAll(async () => {
    await proxy.close();
    server.remove();
  });

  it('loses and doubles nothing when connections are cut in the middle of commits [R10-PG-FAULTS]', async () => {
    const engine = await open(server.url, { schema: freshSchema() });
    let cuts = 0;
    const counts = await written(engine, { runs: 12, least: 120 }, async () => {
      await sleep(15);
      cuts += (await sql(CUT)).length;
      return cuts > 20;
    });
    await expectWhole(engine, counts);
    await engine.close();
  });

  it('loses and doubles nothing when the server is killed and started again [R10-PG-FAULTS]', async () => {
    const engine = await open(server.url, { schema: freshSchema() });
    let kills = 0;
    const counts = await written(engine, { runs: 8, least: 60 }, async () => {
      await sleep(60);
      kills += 1;
      server.kill();
      server.start();
      return kills >= 4;
    });
    await expectWhole(engine, counts);
    await engine.close();
  });

  it.each(['ended', 'reset'] as const)(
    'makes once whatever was made when its answer was lost with a connection that was %s [R10-PG-LOST-ANSWERS]',
    async (how) => {
      const schema = freshSchema();
      const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
      const engine = await open(url, { schema, connections: { writers: 1, readers: 1 } });
      /** Lets a call get to the server and its answer be lost, once it has changed something there. */
      const unheard = async <T>(words: string, call: () => Promise<T>, changed: string): Promise<T> => {
        proxy.swallowFrom(words);
        const answer = call();
        await expect.poll(() => sql(`SELECT 1 FROM ${changed}`), { interval: 20 }).toHaveLength(1);
        proxy.cut(how);
        return answer;
      };
      await engine.get('warm');
      await engine.create(newRun('warm'));
      await unheard('create', () => engine.create(newRun('a')), `${schema}.runs WHERE id = 'a'`);
      const claim = await unheard(
        'claim',
        () => claimBy(engine, 'a', 'me'),
        `${schema}.runs WHERE id = 'a' AND fence = 1`,
      );
      expect([claim.fence, claim.was, claim.previous]).toEqual([1, 'pending', undefined]);
      await engine.append(claim, { entries: [entry(1)] });
      await unheard(
        'append',
        () => engine.append(claim, { entries: [entry(2)] }),
        `${schema}.events WHERE run = 'a' AND seq = 2`,
      );
      await engine.append(claim, { entries: [entry(3)] });
      const posted = await unheard(
        'WITH run AS',
        () => engine.post('a', message('m')),
        `${schema}.inbox WHERE run = 'a'`,
      );
      expect([posted, (await engine.inbox('a', 0)).length]).toEqual(['accepted', 1]);
      const rest = { status: 'suspended', waiting: ['go'], now: START } as const;
      await unheard(
        'release',
        () => engine.release(claim, rest),
        `${schema}.runs WHERE id = 'a' AND owner IS NULL AND fence = 2`,
      );
      const query = { now: START, limit: 9, agents: ['agent'], only: ['a'], isGone: () => false };
      const taking = () => engine.take(query, { owner: owner('next'), leaseMs: 1_000 });
      const taken = await unheard('take', taking, `${schema}.runs WHERE id = 'a' AND fence = 3`);
      expect(taken.map(({ runId, fence, was }) => [runId, fence, was])).toEqual([['a', 3, 'suspended']]);
      expect(await engine.read('a', { generation: 0 })).toHaveLength(4);
      const gone = { at: START, by: 'me', action: 'owner-gone', of: 'next' } as const;
      await unheard('.operations (n', () => engine.declareGone(gone), `${schema}.operations`);
      expect(await engine.operations()).toHaveLength(1);
      await engine.close();
    },
  );

  it('knows a run that it created when others claimed or finished it before the answer could be asked for again [R10-PG-LOST-ANSWERS]', async () => {
    const schema = freshSchema();
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const engine = await open(url, { schema, connections: { writers: 1, readers: 1 } });
    const elsewhere = await open(server.url, { schema });
    const query = { now: START, limit: 9, agents: ['agent'], isGone: () => false };
    const by = { owner: owner('worker'), leaseMs: 1_000 };
    const quicker: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      taken: (id) => elsewhere.take({ ...query, only: [id] }, by),
      claimed: (id) => claimBy(elsewhere, id, 'worker'),
      'claimed-twice': async (id) => {
        await claimBy(elsewhere, id, 'worker', 1_000);
        await claimBy(elsewhere, id, 'next', 1_000, START + 2_000);
      },
      finished: async (id) => elsewhere.release(await claimBy(elsewhere, id, 'worker'), { status: 'done', now: START }),
    };
    await engine.create(newRun('warm'));
    for (const [id, work] of Object.entries(quicker)) {
      proxy.swallowFrom('create');
      const created = engine.create(newRun(id));
      await expect.poll(() => elsewhere.get(id), { interval: 20 }).toBeDefined();
      await work(id);
      proxy.cut();
      await expect(created, id).resolves.toBeUndefined();
      await expect(engine.create(newRun(id)), id).rejects.toMatchObject({ code: 'RUN_EXISTS' });
      expect(await engine.read(id, { generation: 0 }), id).toHaveLength(1);
    }
    await Promise.all([engine.close(), elsewhere.close()]);
  });

  it('claims a run that somebody is changing at that moment, however long that takes, and never calls it held [R10-PORT-CLAIM]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema });
    await engine.create(newRun('a'));
    const busy = sql('BEGIN', `SELECT 1 FROM ${schema}.runs FOR UPDATE`, 'SELECT pg_sleep(2)', 'COMMIT');
    await expect
      .poll(() => sql("SELECT 1 FROM pg_stat_activity WHERE wait_event = 'PgSleep'"), { interval: 20 })
      .toHaveLength(1);
    expect(await claimBy(engine, 'a', 'me')).toMatchObject({ runId: 'a', fence: 1 });
    await busy;
    await engine.close();
  });

  it('keeps a run that goes on while it is removed, after it was looked at [R19-REMOVED-AS-SEEN]', async () => {
    const schema = freshSchema();
    const [engine, elsewhere] = [await open(server.url, { schema }), await open(server.url, { schema })];
    await engine.create(newRun('a'));
    await engine.release(await claimBy(engine, 'a', 'me'), { status: 'bounded', now: START });
    const seen = { agent: 'agent', tenant: 'tenant', status: 'bounded', createdAt: START, endedAt: START };
    // it was looked at, and waits to write its first line
    const blocking = sql('BEGIN', `LOCK TABLE ${schema}.operations IN SHARE MODE`, 'SELECT pg_sleep(61)').catch(
      () => undefined,
    );
    const asleep = "FROM pg_stat_activity WHERE query = 'SELECT pg_sleep(61)'";
    await expect.poll(() => sql(`SELECT 1 ${asleep}`)).toHaveLength(1);
    const removal = { at: START, by: 'operator', action: 'prune', of: 'a' } as const;
    const refused = engine
      .remove('a', { ...removal, tombstone: { ...seen, digests: [], head: '' } })
      .catch((error: unknown) => error);
    await expect
      .poll(() => sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'flyball' AND wait_event_type = 'Lock'"))
      .toHaveLength(1);
    await elsewhere.requeue('a');
    await elsewhere.release(await claimBy(elsewhere, 'a', 'you'), { status: 'done', now: START + 1 });
    await sql(`SELECT pg_terminate_backend(pid) ${asleep}`);
    await blocking;
    expect(await refused).toMatchObject({ code: 'RUN_KEPT', detail: { because: 'changed' } });
    expect(await engine.get('a')).toMatchObject({ status: 'done' });
    expect(await engine.operations('a')).toEqual([]);
    await Promise.all([engine.close(), elsewhere.close()]);
  });

  it('says that it cannot tell when nobody answers any more, and the same batch may be given again [R10-PG-LOST-ANSWERS]', async () => {
    const schema = freshSchema();
    const engine = await open(server.url, { schema, patienceMs: 300 });
    await engine.create(newRun('a'));
    const claim = await claimBy(engine, 'a', 'me');
    const batch = { entries: [entry(1)] };
    // it is sent, and waits for a lock when the server goes away
    const blocking = sql('BEGIN', `SELECT 1 FROM ${schema}.runs FOR UPDATE`, 'SELECT pg_sleep(60)').catch(
      () => undefined,
    );
    await expect
      .poll(() =>
        sql(
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND state = 'active' AND pid <> pg_backend_pid()",
        ),
      )
      .toHaveLength(1);
    const lost = engine.append(claim, batch).catch((error: unknown) => error);
    await expect
      .poll(() => sql("SELECT 1 FROM pg_stat_activity WHERE application_name = 'flyball' AND wait_event_type = 'Lock'"))
      .toHaveLength(1);
    server.kill();
    expect(await lost).toMatchObject({ code: 'STORAGE_UNCERTAIN', detail: { runId: 'a' } });
    expect(await engine.create(newRun('b')).catch((error: unknown) => error)).toMatchObject({ code: 'STORAGE_BUSY' });
    server.start();
    await blocking;
    await engine.append(claim, batch);
    await engine.append(claim, batch);
    expect(await engine.read('a', { generation: 0 })).toHaveLength(2);
    await engine.close();
  });

  it(
    'takes a connection on which no answer comes any more for lost, also while it is opened [R10-PG-SILENT]',
    async () => {
      const schema = freshSchema();
      const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
      const engine = await open(url, { schema, statementMs: patient(1_000), connections: { writers: 1, readers: 1 } });
      /** Nothing comes back on the connection on which this is said, and nobody is told that it never will. */
      const unanswered = async <T>(words: string, call: () => Promise<T>): Promise<T> => {
        proxy.swallowFrom(words);
        const answer = call();
        const said = `SELECT 1 FROM pg_stat_activity WHERE application_name = 'flyball' AND query LIKE '%${words}%'`;
        await expect.poll(() => sql(said), { interval: 20 }).toHaveLength(1);
        proxy.relent();
        return answer;
      };
      expect(await unanswered('transaction_read_only', () => engine.get('a'))).toBeUndefined();
      const collecting = () => engine.collect(() => []).catch((error: unknown) => error);
      expect(await unanswered('SELECT tenant, hash', collecting)).toMatchObject({ code: 'STORAGE_BUSY' });
      expect(await engine.collect(() => [])).toEqual({ contents: 0, links: 0 });
      await engine.close();
    },
    patient(60_000),
  );

  it('a worker without runs is still there when its server has been restarted [R10-PG-IDLE]', async () => {
    const schema = freshSchema();
    const worker = spawn(process.execPath, [join(import.meta.dirname, 'idle-worker.mjs'), server.url, schema], {
      stdio: 'inherit',
    });
    onTestFinished(() => void worker.kill('SIGKILL'));
    const ended = once(worker, 'exit').then(([code]) => `it ended with ${code}`);
    const hasLooked = "application_name = 'flyball' AND state = 'idle' AND query LIKE 'SELECT least(%'";
    await expect.poll(() => sql(`SELECT 1 FROM pg_stat_activity WHERE ${hasLooked}`)).toHaveLength(1);
    server.kill();
    server.start();
    const engine = await open(server.url, { schema, leaseClock: 'database' });
    const agents = { echo: async () => done('nobody') };
    const runtime = createRuntime({ engine, agents, options: { worker: 'elsewhere' } });
    const { id } = await runtime.start('echo', 'worker', { budget: budget({}) });
    const finished = runtime.handle(id).finished();
    expect(await Promise.race([finished, ended])).toMatchObject({ stop: 'done', value: 'worker' });
    await runtime.close();
    await engine.close();
  });
});
