import assert from 'node:assert/strict';
import type { Engine } from '../../ports/engine.js';
import {
  append,
  claimed,
  claimedBriefly,
  type DeclareTest,
  due,
  LEASE_MS,
  message,
  newRun,
  nobodyIsGone,
  owner,
  rested,
  START,
  suspended,
} from './engine-fixture.js';
import { SHORT_MS } from './lease-time.js';
import { refuses } from './suite.js';

type Query = Parameters<Engine['take']>[0];

function take(engine: Engine, by: string, given: Partial<Query> = {}): ReturnType<Engine['take']> {
  const query = { now: START, limit: 100, agents: ['agent'], isGone: nobodyIsGone, ...given };
  return engine.take(query, { owner: owner(by), leaseMs: LEASE_MS });
}

const idsOf = async (taken: ReturnType<Engine['take']>): Promise<readonly string[]> =>
  (await taken).map(({ runId }) => runId).sort();

/** A run of this tenant that sleeps. */
async function asleep(engine: Engine, runId: string, tenant: string, wakeAt: number): Promise<void> {
  const claim = await claimed(engine, runId, { tenant });
  await engine.release(claim, { status: 'suspended', wakeAt, waiting: [], now: START });
}

/** take: what is due, claimed without anybody getting in another's way. */
export function takeContract(test: DeclareTest): void {
  test('claims what is due, as a claim does', async (engine, _, time) => {
    await engine.create(newRun('new'));
    await suspended(engine, 'timed', START - 1);
    await suspended(engine, 'waits');
    await rested(engine, 'over', 'done');
    const claims = await take(engine, 'first');
    assert.deepEqual([...claims.map(({ runId, was }) => [runId, was])].sort(), [
      ['new', 'pending'],
      ['timed', 'suspended'],
    ]);
    for (const claim of claims) {
      const { status, owner: holder, leaseUntil, wakeAt, waiting, crashes } = claim.record;
      assert.deepEqual([status, holder, wakeAt, waiting, crashes], ['running', owner('first'), undefined, [], 0]);
      time.ends(leaseUntil, START, LEASE_MS);
      assert.equal(claim.previous, undefined);
      assert.deepEqual(await engine.get(claim.runId), claim.record);
      await append(engine, claim, 1);
    }
    assert.deepEqual(await due(engine), []);
    assert.deepEqual(await take(engine, 'second'), []);
  });

  test('gives each run to one of several that take at once, and refuses nobody', async (engine) => {
    const ids = Array.from({ length: 40 }, (_, n) => `run-${String(n).padStart(2, '0')}`);
    for (const id of ids) await engine.create(newRun(id));
    const names = ['first', 'second', 'third', 'fourth'];
    const got: string[] = [];
    for (let round = 0; got.length < ids.length && round < 40; round++) {
      const taken = await Promise.all(names.map((name) => take(engine, name, { limit: 4 })));
      for (const claims of taken) {
        assert.ok(claims.length <= 4, `it took ${claims.length} runs where 4 were asked for`);
        got.push(...claims.map(({ runId }) => runId));
      }
    }
    assert.deepEqual(got.sort(), ids);
  });

  test('takes runs over whose lease is over or whose owner is gone, and counts the crash', async (engine, _, time) => {
    const late = await claimedBriefly(engine, 'late');
    await time.pass(SHORT_MS);
    const [claim] = await take(engine, 'second', { now: time.now });
    assert.deepEqual(claim?.previous, owner('first'));
    assert.deepEqual([claim?.was, claim?.record.crashes], ['running', 1]);
    await refuses(append(engine, late, 1), 'JOURNAL_CONFLICT');
    assert.deepEqual(await take(engine, 'third', { now: time.now }), []);
    const isGone = ({ id }: { readonly id: string }) => id === 'second';
    assert.deepEqual(await idsOf(take(engine, 'third', { now: time.now, isGone })), ['late']);
  });

  test('takes only what it is asked for', async (engine) => {
    for (const id of ['a', 'b', 'c', 'd']) await engine.create(newRun(id));
    await engine.create(newRun('other', { agent: 'other' }));
    await engine.create(newRun('newer', { version: '2' }));
    await suspended(engine, 'asleep', START);
    const given = { except: [{ agent: 'agent', version: '2' }], asleep: ['asleep'], here: ['a'] };
    assert.deepEqual(await idsOf(take(engine, 'first', { only: ['b'] })), ['b']);
    assert.deepEqual(await take(engine, 'first', { only: [] }), []);
    assert.deepEqual(await take(engine, 'first', { limit: 0 }), []);
    assert.deepEqual(await take(engine, 'first', { ...given, crashes: { from: 1 } }), []);
    assert.equal((await take(engine, 'first', { ...given, limit: 1 })).length, 1);
    assert.equal((await take(engine, 'first', given)).length, 1);
    assert.deepEqual(await idsOf(take(engine, 'first')), ['a', 'asleep', 'newer']);
  });

  test('takes what is to be left asleep once something came for it', async (engine) => {
    for (const id of ['told', 'requeued', 'asleep']) await suspended(engine, id, START);
    await engine.post('told', message('m'));
    await engine.requeue('requeued');
    const asleep = ['told', 'requeued', 'asleep'];
    assert.deepEqual(await idsOf(take(engine, 'first', { asleep })), ['requeued', 'told']);
  });

  test('lets tenants take turns, so that one with many runs does not hold up the others', async (engine) => {
    const count = 60;
    for (let n = 0; n < count; n++) await engine.create(newRun(`large-${n}`, { tenant: 'large' }));
    for (const id of ['a', 'b', 'c']) await engine.create(newRun(id, { tenant: 'small', createdAt: START + 1 }));
    const first = await idsOf(take(engine, 'first', { limit: 6 }));
    assert.deepEqual(first.slice(0, 3), ['a', 'b', 'c']);
    assert.equal(first.length, 6);
    let left = count - 3;
    while (left > 0) {
      const taken = await take(engine, 'first', { limit: 10 });
      assert.ok(taken.length > 0, `it took nothing, though ${left} runs were left`);
      left -= taken.length;
    }
    assert.deepEqual(await take(engine, 'first'), []);
  });

  test('lets tenants take turns whose timers are due as well', async (engine) => {
    for (let n = 0; n < 30; n++) await asleep(engine, `large-${n}`, 'large', START - 10);
    await asleep(engine, 'small', 'small', START - 1);
    await asleep(engine, 'later', 'other', START + 1);
    const taken = await idsOf(take(engine, 'first', { limit: 4 }));
    assert.ok(taken.includes('small'), 'a tenant whose one timer is due had no turn');
    assert.ok(!taken.includes('later'), 'it took a run before its time');
    const early = { limit: 4, asleep: ['large-0', 'large-1', 'large-2', 'large-3', 'large-4'] };
    const awake = await idsOf(take(engine, 'first', early));
    const slept = awake.filter((id) => early.asleep.includes(id));
    assert.ok(awake.length > 0, 'it took none of those that are not left asleep');
    assert.deepEqual(slept, [], 'it took runs that were to be left asleep');
  });

  test('begins behind the tenant whose turn was last', async (engine) => {
    for (const tenant of ['a', 'b', 'c'])
      for (const n of [1, 2, 3, 4]) await engine.create(newRun(`${tenant}${n}`, { tenant, createdAt: START + n }));
    const turns: (string | undefined)[] = [];
    for (const after of [undefined, 'a', 'b', 'c', 'bb', 'zz'])
      for (const { record } of await take(engine, 'first', { limit: 1, ...(after === undefined ? {} : { after }) }))
        turns.push(record.tenant);
    assert.deepEqual(turns, ['a', 'b', 'c', 'a', 'c', 'a']);
    const others = await take(engine, 'first', { limit: 2, after: 'a', only: ['b3', 'c4'] });
    assert.deepEqual([...others.map(({ runId }) => runId)].sort(), ['b3', 'c4']);
  });

  test('finds what it is asked for behind tenants whose runs are for others', async (engine) => {
    for (let n = 0; n < 30; n++) await engine.create(newRun(`theirs-${n}`, { tenant: `t${n}`, agent: 'other' }));
    await engine.create(newRun('ours', { tenant: 'zz', createdAt: START + 1 }));
    assert.deepEqual(await idsOf(take(engine, 'first', { limit: 2 })), ['ours']);
  });

  test('has seen the messages of what it takes', async (engine) => {
    await suspended(engine, 'a');
    await engine.post('a', message('m'));
    const [claim] = await take(engine, 'first');
    assert.ok(claim !== undefined, 'it did not take a run that got a message');
    await engine.release(claim, { status: 'suspended', waiting: ['approval'], now: START });
    assert.deepEqual(await due(engine), []);
  });
}
