import assert from 'node:assert/strict';
import {
  append,
  claimBy,
  claimed,
  claimedBriefly,
  type DeclareTest,
  entry,
  LEASE_MS,
  newRun,
  owner,
  renewed,
  rested,
  START,
  stalled,
  suspended,
  takenOver,
} from './engine-fixture.js';
import { SHORT_MS } from './lease-time.js';
import { refuses } from './suite.js';

/** create, claim, renew, release: at most one owner at a time can write. */
export function ownershipContract(test: DeclareTest): void {
  test('creates a run that is pending, has no owner and holds its first entries', async (engine) => {
    const fork = { run: 'parent', generation: 0, seq: 3 };
    await engine.create(newRun('parent'));
    await engine.create(newRun('a', { fork, source: './agent.js' }));
    assert.deepEqual(await engine.get('a'), {
      id: 'a',
      agent: 'agent',
      version: '1',
      tenant: 'tenant',
      subject: 'subject',
      status: 'pending',
      generation: 0,
      createdAt: START,
      updatedAt: START,
      waiting: [],
      crashes: 0,
      activeMs: 0,
      fork,
      source: './agent.js',
    });
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0)]);
    assert.equal(await engine.get('b'), undefined);
  });

  test('refuses a second run with the same id and leaves the first as it is', async (engine) => {
    await engine.create(newRun('a'));
    await refuses(engine.create(newRun('a', { agent: 'other', first: { entries: [entry(1)] } })), 'RUN_EXISTS');
    assert.equal((await engine.get('a'))?.agent, 'agent');
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0)]);
  });

  test('creates nothing of a run whose first entries cannot stand where they are to stand', async (engine) => {
    for (const entries of [[entry(1)], [entry(0), entry(2)], [entry(0), entry(0)]])
      await refuses(engine.create(newRun('a', { first: { entries } })), 'JOURNAL_CONFLICT');
    assert.equal(await engine.get('a'), undefined);
    await engine.create(newRun('a'));
  });

  test('hands a run to the one who claims it', async (engine, _, time) => {
    await engine.create(newRun('a'));
    const claim = await claimBy(engine, 'a', 'first', START + 5);
    assert.equal(claim.runId, 'a');
    assert.equal(claim.previous, undefined);
    assert.equal(claim.record.status, 'running');
    assert.deepEqual(claim.record, await engine.get('a'));
    assert.deepEqual(claim.record.owner, owner('first'));
    time.ends(claim.record.leaseUntil, START + 5, LEASE_MS);
    assert.equal(claim.record.crashes, 0);
  });

  test('refuses a claim while an owner holds the run, the same owner included', async (engine) => {
    await claimed(engine, 'a');
    await refuses(claimBy(engine, 'a', 'second'), 'JOURNAL_CONFLICT');
    await refuses(claimBy(engine, 'a', 'first'), 'JOURNAL_CONFLICT');
  });

  test('lets exactly one of many simultaneous claims succeed', async (engine) => {
    await engine.create(newRun('a'));
    const claims = await Promise.allSettled(['p', 'q', 'r', 's'].map((by) => claimBy(engine, 'a', by)));
    assert.equal(claims.filter(({ status }) => status === 'fulfilled').length, 1);
  });

  test('answers a claim of an unknown run with RUN_NOT_FOUND, of an ended one with ALREADY_TERMINAL', async (engine) => {
    await refuses(claimBy(engine, 'a', 'first'), 'RUN_NOT_FOUND');
    await rested(engine, 'b', 'done');
    await refuses(claimBy(engine, 'b', 'first'), 'ALREADY_TERMINAL');
    await rested(engine, 'c', 'bounded');
    assert.equal((await claimBy(engine, 'c', 'first')).record.status, 'running');
  });

  test('hands over a run whose lease is over: the old claim is stale, the crash is counted', async (engine, _, time) => {
    const old = await claimedBriefly(engine, 'a');
    if (time.isExact) await refuses(claimBy(engine, 'a', 'second', START + SHORT_MS - 1), 'JOURNAL_CONFLICT');
    await time.pass(SHORT_MS);
    const next = await claimBy(engine, 'a', 'second', time.now);
    assert.ok(next.fence > old.fence, `the fencing number after ${old.fence} is ${next.fence}, which is not higher`);
    assert.deepEqual(next.previous, owner('first'));
    assert.equal(next.record.crashes, 1);
    await refuses(append(engine, old, 1), 'JOURNAL_CONFLICT');
    await append(engine, next, 1);
    assert.equal((await engine.read('a', { generation: 0 })).length, 2);
  });

  test('hands over a run whose owner is proven gone before its lease is over', async (engine) => {
    await claimed(engine, 'a');
    const asked: string[] = [];
    const isGone = ({ id }: { readonly id: string }) => asked.push(id) > 0;
    const next = await engine.claim('a', { owner: owner('second'), now: START, leaseMs: 1, isGone });
    assert.deepEqual(asked, ['first']);
    assert.deepEqual(next.previous, owner('first'));
  });

  test('hands a run to the same owner again that is said to be gone: its old claim is stale', async (engine) => {
    const old = await claimed(engine, 'a');
    const next = await takenOver(engine, 'a', 'first');
    assert.ok(next.fence > old.fence, `the fencing number after ${old.fence} is ${next.fence}, which is not higher`);
    assert.deepEqual(next.previous, owner('first'));
    await refuses(append(engine, old, 1), 'JOURNAL_CONFLICT');
    await append(engine, next, 1);
  });

  test('says how the run stood before', async (engine) => {
    assert.equal((await claimed(engine, 'a')).was, 'pending');
    const second = await takenOver(engine, 'a', 'second');
    assert.equal(second.was, 'running');
    await engine.release(second, { status: 'paused', now: START });
    assert.equal((await claimBy(engine, 'a', 'third')).was, 'paused');
  });

  test('counts crashes in a row and starts again with a batch that is progress', async (engine) => {
    await claimed(engine, 'a');
    await takenOver(engine, 'a', 'second');
    const third = await takenOver(engine, 'a', 'third');
    assert.equal(third.record.crashes, 2);
    await append(engine, third, 1);
    assert.equal((await engine.get('a'))?.crashes, 2);
    await engine.append(third, { entries: [entry(2)], progress: true });
    assert.equal((await engine.get('a'))?.crashes, 0);
  });

  test('counts no crash when the owner before released the run', async (engine) => {
    await suspended(engine, 'a');
    const claim = await claimBy(engine, 'a', 'second');
    assert.equal(claim.record.crashes, 0);
    assert.equal(claim.previous, undefined);
  });

  test('extends leases and names the runs whose claim is stale', async (engine, _, time) => {
    const a = await claimedBriefly(engine, 'a');
    const b = await claimed(engine, 'b');
    await takenOver(engine, 'b', 'second');
    assert.deepEqual(await renewed(engine, [a, b], START + 90_000), ['b']);
    time.ends((await engine.get('a'))?.leaseUntil, START, 90_000);
    time.ends((await engine.get('b'))?.leaseUntil, START, LEASE_MS);
    if (time.isExact) await refuses(claimBy(engine, 'a', 'second', START + 89_999), 'JOURNAL_CONFLICT');
    await time.pass(SHORT_MS);
    await refuses(claimBy(engine, 'a', 'second', time.now), 'JOURNAL_CONFLICT');
  });

  test('hears every sign of life, however many come at once', async (engine, _, time) => {
    const ids = Array.from({ length: 130 }, (_, n) => `run-${n}`);
    const signs = [];
    for (const [n, id] of ids.entries()) signs.push({ claim: await claimed(engine, id), activeMs: n });
    const last = ids.at(-1) ?? '';
    await takenOver(engine, last, 'second');
    assert.deepEqual(await engine.renew(signs, { now: START + 10, leaseMs: LEASE_MS }), [last]);
    for (const [n, id] of ids.slice(0, -1).entries()) {
      const { leaseUntil, activeMs } = (await engine.get(id)) ?? assert.fail(`${id} is gone`);
      time.ends(leaseUntil, START + 10, LEASE_MS);
      assert.equal(activeMs, n, `it was not heard how long ${id} was at work`);
    }
  });

  test('counts what a killed owner may have worked, also when the one after it is killed before it writes', async (engine) => {
    await claimed(engine, 'a');
    const over = (by: string, now: number) => takenOver(engine, 'a', by, now);
    const second = await over('second', START + 2_000);
    assert.equal(second.record.activeMs, 2_000, 'it was at work until now at most');
    const third = await over('third', START + 2_500);
    assert.equal(third.record.activeMs, 2_500);
    const back = await over('fourth', START - 60_000);
    assert.equal(back.record.activeMs, 2_500, 'a clock that is behind takes nothing back');
  });

  test('counts what a killed owner may have worked from its last renewal on, and not from its claim', async (engine) => {
    const first = await claimed(engine, 'a');
    await engine.renew([{ claim: first, activeMs: 4_000 }], { now: START + 5_000, leaseMs: LEASE_MS });
    assert.equal((await takenOver(engine, 'a', 'second', START + 6_000)).record.activeMs, 4_000 + 1_000);
  });

  test('keeps how long the run was at work by the last sign of life, and counts on from there', async (engine) => {
    const first = await claimed(engine, 'a');
    assert.equal(first.record.activeMs, 0);
    await engine.renew([{ claim: first, activeMs: 4_000 }], { now: START + 5_000, leaseMs: 30_000 });
    assert.equal((await engine.get('a'))?.activeMs, 4_000);
    const second = await takenOver(engine, 'a', 'second', START + 40_000);
    assert.deepEqual(second.previous, owner('first'));
    assert.equal(second.record.activeMs, 4_000 + 10_000, 'its next sign was due a third of the lease after the last');
    await engine.release(second, { status: 'pending', now: START + 50_000, activeMs: 9_000 });
    assert.equal((await engine.get('a'))?.activeMs, 9_000);
    const third = await claimBy(engine, 'a', 'third', START + 60_000);
    assert.equal(third.previous, undefined);
    await engine.release(third, { status: 'paused', now: START + 60_000 });
    assert.equal((await engine.get('a'))?.activeMs, 9_000);
  });

  test('records how a run rests', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    const { owner: held, leaseUntil, ...record } = (await engine.get('a')) ?? assert.fail('a is gone');
    assert.deepEqual([held, leaseUntil], [undefined, undefined]);
    assert.equal(record.status, 'suspended');
    assert.equal(record.wakeAt, START + 1_000);
    assert.deepEqual(record.waiting, ['approval']);
    await stalled(engine, 'b');
    assert.equal((await engine.get('b'))?.attention, 'look at it');
    await rested(engine, 'c', 'done');
    assert.equal((await engine.get('c'))?.status, 'done');
    assert.deepEqual((await engine.get('c'))?.waiting, []);
  });

  test('forgets with the next claim what the run was waiting for', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    await stalled(engine, 'b');
    const { wakeAt, waiting } = (await claimBy(engine, 'a', 'second')).record;
    assert.deepEqual([wakeAt, waiting], [undefined, []]);
    assert.equal((await claimBy(engine, 'b', 'second')).record.attention, undefined);
  });

  test('takes nothing more from a claim that was released', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.release(claim, { status: 'paused', now: START });
    await refuses(append(engine, claim, 1), 'JOURNAL_CONFLICT');
    assert.deepEqual(await renewed(engine, [claim], START + 90_000), ['a']);
  });

  test('ignores the release of a stale claim: its successor decides', async (engine) => {
    const old = await claimed(engine, 'a');
    const next = await takenOver(engine, 'a', 'second');
    await engine.release(old, { status: 'failed', now: START });
    assert.equal((await engine.get('a'))?.status, 'running');
    await append(engine, next, 1);
  });
}
