import assert from 'node:assert/strict';
import {
  append,
  claimBy,
  claimed,
  claimedBriefly,
  type DeclareTest,
  due,
  LEASE_MS,
  newRun,
  nobodyIsGone,
  owner,
  renewed,
  START,
} from './engine-fixture.js';
import { SHORT_MS } from './lease-time.js';
import { refuses } from './suite.js';

const HOUR_MS = 3_600_000;

/** What begins and ends with a lease, whosever clock it goes by. */
export function leasesContract(test: DeclareTest): void {
  test('leases a run for as long as whoever claims it asks', async (engine, _, time) => {
    for (const leaseMs of [SHORT_MS, 10_000, 90_000]) {
      await engine.create(newRun(`${leaseMs}`));
      const by = { owner: owner('first'), now: START, leaseMs, isGone: nobodyIsGone };
      time.ends((await engine.claim(`${leaseMs}`, by)).record.leaseUntil, START, leaseMs);
    }
    await time.pass(SHORT_MS);
    assert.deepEqual(await due(engine, time.now), [`${SHORT_MS}`]);
  });

  test('leases what it takes for as long as whoever takes it asks', async (engine, _, time) => {
    const query = { now: START, limit: 9, agents: ['agent'], isGone: nobodyIsGone };
    for (const leaseMs of [SHORT_MS, 10_000, 90_000]) {
      await engine.create(newRun(`${leaseMs}`));
      const [claim] = await engine.take({ ...query, only: [`${leaseMs}`] }, { owner: owner('first'), leaseMs });
      time.ends(claim?.record.leaseUntil, START, leaseMs);
    }
    await time.pass(SHORT_MS);
    assert.deepEqual(await due(engine, time.now), [`${SHORT_MS}`]);
  });

  test('extends a lease that is over, where nobody took the run', async (engine, _, time) => {
    const claim = await claimedBriefly(engine, 'a');
    await time.pass(SHORT_MS);
    const sign = { claim, activeMs: 7 };
    assert.deepEqual(await engine.renew([sign], { now: time.now, leaseMs: LEASE_MS }), []);
    await refuses(claimBy(engine, 'a', 'second', time.now), 'JOURNAL_CONFLICT');
    assert.equal((await engine.get('a'))?.activeMs, 7);
  });

  test('hears an owner whose lease is over, where nobody took the run: what it writes, and how the run rests', async (engine, _, time) => {
    const claim = await claimedBriefly(engine, 'a');
    await time.pass(SHORT_MS);
    await append(engine, claim, 1);
    await engine.release(claim, { status: 'done', now: time.now });
    const { status, owner: holder } = (await engine.get('a')) ?? assert.fail('a is gone');
    assert.deepEqual([status, holder], ['done', undefined]);
  });

  test('finds a run whose lease is over, unless it was renewed', async (engine, _, time) => {
    const a = await claimedBriefly(engine, 'a');
    await claimedBriefly(engine, 'b');
    await claimed(engine, 'c');
    await renewed(engine, [a], START + LEASE_MS);
    if (time.isExact) assert.deepEqual(await due(engine, START + SHORT_MS - 1), []);
    await time.pass(SHORT_MS);
    assert.deepEqual(await due(engine, time.now), ['b']);
    if (time.isExact) assert.deepEqual([...(await due(engine, START + LEASE_MS))].sort(), ['a', 'b', 'c']);
  });

  test('counts in the queue the runs whose lease is over, since its end', async (engine, _, time) => {
    await claimed(engine, 'held');
    await claimedBriefly(engine, 'over');
    await time.pass(SHORT_MS);
    const [line, ...others] = await engine.queue(time.now);
    assert.deepEqual([line?.runs, others], [1, []]);
    time.isAt(line?.since, START + SHORT_MS);
  });

  test('names a run that nobody has claimed since its lease was over [R19-OVERDUE]', async (engine, _, time) => {
    await claimed(engine, 'held');
    await claimedBriefly(engine, 'over');
    await time.pass(2 * SHORT_MS);
    const overdue = async (forMs: number, now = time.now) =>
      (await engine.overdue({ now, forMs, agents: ['agent'], limit: 9 })).runs.map(({ id }) => id);
    assert.deepEqual(await overdue(0), ['over']);
    assert.deepEqual(await overdue(SHORT_MS), ['over']);
    assert.deepEqual(await overdue(HOUR_MS), []);
    if (!time.isExact) return;
    assert.deepEqual(await overdue(SHORT_MS + 1), []);
    assert.deepEqual(await overdue(0, START + SHORT_MS - 1), []);
    await engine.create(newRun('before', { createdAt: START + SHORT_MS - 1 }));
    await engine.create(newRun('behind', { createdAt: START + SHORT_MS + 1 }));
    assert.deepEqual(await overdue(0), ['before', 'over', 'behind']);
  });

  test('knows the end of a lease as a time at which something comes due', async (engine, _, time) => {
    await claimed(engine, 'held');
    time.isAt(await engine.nextDue(START), START + LEASE_MS);
    await claimedBriefly(engine, 'soon');
    if (time.isExact) assert.equal(await engine.nextDue(START), START + SHORT_MS);
    await time.pass(SHORT_MS);
    time.isAt(await engine.nextDue(time.now), START + LEASE_MS);
  });
}

/** Leases by the engine's own clock: what time a caller takes it for makes no difference to who owns a run. */
export function ownClockContract(test: DeclareTest): void {
  for (const [off, wrong] of [
    ['ahead', START + HOUR_MS],
    ['behind', START - HOUR_MS],
  ] as const) {
    test(`gives a caller whose clock is an hour ${off} no run of another early`, async (engine, _, time) => {
      await claimed(engine, 'held');
      await claimedBriefly(engine, 'over');
      await time.pass(SHORT_MS);
      const query = { now: wrong, limit: 9, agents: ['agent'], isGone: nobodyIsGone };
      const runs = async (page: ReturnType<typeof engine.overdue>) => (await page).runs.map(({ id }) => id);
      assert.deepEqual(await due(engine, wrong), ['over']);
      assert.deepEqual(await runs(engine.overdue({ ...query, forMs: 0 })), ['over']);
      assert.deepEqual(
        (await engine.queue(wrong)).map((line) => line.runs),
        [1],
      );
      time.isAt(await engine.nextDue(wrong), wrong + LEASE_MS);
      await refuses(claimBy(engine, 'held', 'second', wrong), 'JOURNAL_CONFLICT');
      const taken = await engine.take(query, { owner: owner('second'), leaseMs: LEASE_MS });
      assert.deepEqual(
        taken.map(({ runId }) => runId),
        ['over'],
      );
    });

    test(`keeps the runs of a caller whose clock is an hour ${off}, and for no longer than it asks`, async (engine, _, time) => {
      const claimWrong = async (runId: string, leaseMs: number) => {
        await engine.create(newRun(runId));
        return engine.claim(runId, { owner: owner('first'), now: wrong, leaseMs, isGone: nobodyIsGone });
      };
      const claims = [await claimWrong('claimed', LEASE_MS), await claimWrong('renewed', SHORT_MS)];
      await claimWrong('over', SHORT_MS);
      const signs = claims.map((claim) => ({ claim, activeMs: 0 }));
      assert.deepEqual(await engine.renew(signs, { now: wrong, leaseMs: LEASE_MS }), []);
      await time.pass(SHORT_MS);
      assert.deepEqual(await due(engine, time.now), ['over']);
      for (const runId of ['claimed', 'renewed'])
        await refuses(claimBy(engine, runId, 'second', time.now), 'JOURNAL_CONFLICT');
      await claimBy(engine, 'over', 'second', time.now);
      for (const claim of claims) await append(engine, claim, 1);
    });

    test(`counts a worker as alive whose clock is an hour ${off}, and for no longer than it says`, async (engine, _, time) => {
      const worker = { owner: owner('one'), agents: { agent: '1' } };
      await engine.announce({ ...worker, id: 'there' }, { now: wrong, forMs: LEASE_MS });
      await engine.announce({ ...worker, id: 'left' }, { now: wrong, forMs: SHORT_MS });
      await engine.announce({ ...worker, id: 'other' }, { now: START, forMs: LEASE_MS });
      await time.pass(SHORT_MS);
      for (const now of [time.now, wrong])
        assert.deepEqual((await engine.workers(now)).map(({ id }) => id).sort(), ['other', 'there']);
    });
  }
}
