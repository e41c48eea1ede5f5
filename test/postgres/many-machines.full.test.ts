import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { claimBy, newRun, owner, START } from './runs.js';
import { freshSchema, open, sharedServer, whyNoServer } from './server.js';

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
    const engine = await open(server.url, { schema: freshSchema(), leaseClock: 'database' });
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
    expect(await engine.workers(now - HOUR)).toEqual([]);
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

  it.each([
    ['are told which run got a message', false],
    ['find it by looking, where nobody can be told', true],
  ])('%s [R10-PG-WATCH]', async (_, pooled) => {
    const schema = freshSchema();
    const [here, there] = [await open(server.url, { schema, pooled }), await open(server.url, { schema, pooled })];
    await here.create(newRun('a'));
    await claimBy(here, 'a', 'me', HOUR);
    const heard: (string | undefined)[] = [];
    const stop = here.watch((runId) => heard.push(runId));
    await sleep(300); // it listens by now
    heard.length = 0;
    await there.post('a', { id: 'm', kind: 'signal', name: 'go', from: 'rita', at: START, body: '1' });
    await expect.poll(() => heard.includes('a'), { interval: 10 }).toBe(true);
    stop();
    await Promise.all([here.close(), there.close()]);
  });
});
