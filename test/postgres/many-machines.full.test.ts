import { type PostgresEngine, postgresEngine } from '@flyball/postgres';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { claimBy, newRun, owner, START } from './runs.js';
import { asAdmin, freshSchema, open, sharedServer, whyNoServer } from './server.js';

const why = whyNoServer();
if (why !== undefined) process.stdout.write(`Skipped workers on PostgreSQL: ${why}.\n`);
const HOUR = 3_600_000;

describe.skipIf(why !== undefined)('workers on several machines', () => {
  let server: Awaited<ReturnType<typeof sharedServer>>;
  beforeAll(async () => {
    server = await sharedServer();
  });
  afterAll(() => server.remove());

  it('agree on leases by the clock of the database, also where their own are hours apart [R10-PG-CLOCK]', async () => {
    // as it is without being told: the other tests here have their helper's clock
    const engine = await postgresEngine({ url: server.url, schema: freshSchema(), onNotice: () => undefined });
    await engine.create(newRun('a'));
    const now = Date.now();
    const claim = await claimBy(engine, 'a', 'slow', 400, now - HOUR);
    const fast = { now: now + HOUR, limit: 9, agents: ['agent'], isGone: () => false };
    expect(await engine.due(fast)).toEqual([]);
    await expect(claimBy(engine, 'a', 'fast', 400, now + HOUR)).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    const next = (await engine.nextDue(now + HOUR)) ?? 0;
    expect(next - (now + HOUR)).toBeGreaterThan(0);
    expect(next - (now + HOUR)).toBeLessThanOrEqual(400);
    expect(await engine.renew([{ claim, activeMs: 1 }], { now: now - HOUR, leaseMs: 400 })).toEqual([]);
    await engine.announce({ id: 'w', owner: owner('slow'), agents: {} }, { now: now - HOUR, forMs: 400 });
    expect(await engine.workers(now + HOUR)).toHaveLength(1);
    await expect.poll(() => engine.due(fast), { interval: 50 }).toEqual(['a']);
    await expect.poll(() => engine.workers(now - HOUR), { interval: 50 }).toEqual([]); // said after the lease was renewed
    const taken = await engine.take(fast, { owner: owner('fast'), leaseMs: 1_000 });
    expect(taken).toMatchObject([{ runId: 'a', fence: 2, previous: { id: 'slow' } }]);
    await engine.close();
  });

  it('drain a queue together: every run goes to one, and nobody is refused [R10-PG-TAKE]', async () => {
    const schema = freshSchema();
    const engines = await Promise.all(Array.from({ length: 4 }, () => open(server.url, { schema })));
    const ids = Array.from({ length: 600 }, (_, n) => `run-${n}`);
    await Promise.all(ids.map((id) => engines[0]?.create(newRun(id))));
    const query = { now: START, limit: 25, agents: ['agent'], isGone: () => false };
    const got = await Promise.all(
      engines.map(async (engine, n) => {
        const mine: string[] = [];
        for (let empty = 0; empty < 3; ) {
          const claims = await engine.take(query, { owner: owner(`worker-${n}`), leaseMs: 60_000 });
          mine.push(...claims.map(({ runId }) => runId));
          empty = claims.length === 0 ? empty + 1 : 0;
        }
        return mine;
      }),
    );
    expect(got.flat().sort()).toEqual([...ids].sort());
    expect(got.filter((mine) => mine.length > 0).length).toBeGreaterThan(1);
    for (const engine of engines) await engine.close();
  });

  it('read of a long queue what they take, also where the planner expects a short one [R10-PG-LONG-QUEUE]', async () => {
    const schema = freshSchema();
    const fill = async (engine: PostgresEngine, name: string, many: number) => {
      await Promise.all(Array.from({ length: many }, (_, n) => engine.create(newRun(`${name}-${n}`))));
    };
    const query = { now: START, limit: 25, agents: ['agent'], isGone: () => false };
    const by = { owner: owner('worker'), leaseMs: HOUR };
    const first = await open(server.url, { schema });
    await asAdmin(server.url, `ALTER TABLE ${schema}.runs SET (autovacuum_enabled = off)`);
    await fill(first, 'old', 300);
    for (let taken = 0; taken < 300; taken += 25) expect(await first.take(query, by)).toHaveLength(25);
    await asAdmin(server.url, `ANALYZE ${schema}.runs`); // none is due
    await fill(first, 'new', 3_000);
    const read = async () => {
      const text = `SELECT coalesce(sum(idx_tup_read), 0)::int AS n FROM pg_stat_user_indexes
        WHERE schemaname = '${schema}' AND indexrelname LIKE 'runs_ready%'`;
      return Number((await asAdmin(server.url, text))[0]?.['n']);
    };
    await first.close(); // a connection that ends has told what it read
    const second = await open(server.url, { schema });
    await second.get('new-0');
    const before = await read();
    for (let take = 0; take < 20; take += 1) {
      expect(await second.take(query, by)).toHaveLength(25);
      expect(await second.due({ ...query, only: ['new-2999'] })).toEqual(['new-2999']);
    }
    await second.close();
    await expect.poll(read, { interval: 100, timeout: patient(5_000) }).toBeGreaterThan(before);
    expect((await read()) - before).toBeLessThan(20 * 1_000); // the whole queue once for each is 60,000
  });

  it('are told which run got a message, without looking [R10-PG-WATCH]', async () => {
    const given = { schema: freshSchema(), pollMs: 60_000 }; // whoever looks finds nothing for as long as the test takes
    const [here, there] = [await open(server.url, given), await open(server.url, given)];
    await here.create(newRun('a'));
    await claimBy(here, 'a', 'me', HOUR);
    const heard: (string | undefined)[] = [];
    const stop = here.watch((runId) => heard.push(runId));
    const within = { interval: 10, timeout: patient(5_000) };
    await expect.poll(() => heard, within).toEqual([undefined]); // it listens: any run may have got one before that
    await there.post('a', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
    await expect.poll(() => heard, within).toEqual([undefined, 'a']);
    stop();
    await Promise.all([here.close(), there.close()]);
  });

  it('find a message by looking, where nobody can be told [R10-PG-WATCH]', async () => {
    const given = { schema: freshSchema(), pooled: true };
    const [here, there] = [await open(server.url, given), await open(server.url, given)];
    await here.create(newRun('a'));
    await claimBy(here, 'a', 'me', HOUR);
    const heard: (string | undefined)[] = [];
    const stop = here.watch((runId) => heard.push(runId));
    await there.post('a', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
    await expect.poll(() => heard.includes('a'), { interval: 10, timeout: patient(5_000) }).toBe(true);
    stop();
    await Promise.all([here.close(), there.close()]);
  });
});
