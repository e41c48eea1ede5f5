import assert from 'node:assert/strict';
import type { Engine } from '../../ports/engine.js';
import {
  append,
  claimed,
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
import { refuses } from './suite.js';

type Query = Parameters<Engine['take']>[0];

function take(engine: Engine, by: string, given: Partial<Query> = {}): ReturnType<Engine['take']> {
  const query = { now: START, limit: 100, agents: ['agent'], isGone: nobodyIsGone, ...given };
  return engine.take(query, { owner: owner(by), leaseMs: LEASE_MS });
}

const idsOf = async (taken: ReturnType<Engine['take']>): Promise<readonly string[]> =>
  (await taken).map(({ runId }) => runId).sort();

/** take: what is due, claimed without anybody getting in another's way. */
export function takeContract(test: DeclareTest): void {
  test('claims what is due, as a claim does', async (engine) => {
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
      assert.equal(leaseUntil, START + LEASE_MS);
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
        assert.ok(claims.length <= 4);
        got.push(...claims.map(({ runId }) => runId));
      }
    }
    assert.deepEqual(got.sort(), ids);
  });

  test('takes runs over whose lease is over or whose owner is gone, and counts the crash', async (engine) => {
    const late = await claimed(engine, 'late');
    const [claim] = await take(engine, 'second', { now: START + LEASE_MS });
    assert.deepEqual(claim?.previous, owner('first'));
    assert.deepEqual([claim?.was, claim?.record.crashes], ['running', 1]);
    await refuses(append(engine, late, 1), 'JOURNAL_CONFLICT');
    assert.deepEqual(await take(engine, 'third', { now: START + LEASE_MS }), []);
    const isGone = ({ id }: { readonly id: string }) => id === 'second';
    assert.deepEqual(await idsOf(take(engine, 'third', { now: START + LEASE_MS, isGone })), ['late']);
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

  test('has seen the messages of what it takes', async (engine) => {
    await suspended(engine, 'a');
    await engine.post('a', message('m'));
    const [claim] = await take(engine, 'first');
    assert.ok(claim !== undefined);
    await engine.release(claim, { status: 'suspended', waiting: ['approval'], now: START });
    assert.deepEqual(await due(engine), []);
  });
}
