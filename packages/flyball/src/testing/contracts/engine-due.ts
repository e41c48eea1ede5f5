import assert from 'node:assert/strict';
import {
  claimBy,
  claimed,
  type DeclareTest,
  due,
  LEASE_MS,
  message,
  newRun,
  nobodyIsGone,
  renewed,
  rested,
  START,
  stalled,
  suspended,
} from './engine-fixture.js';

/** due and nextDue: every reason for which a worker may pick a run up, and none besides. */
export function dueContract(test: DeclareTest): void {
  test('counts what stands in line by tenant, agent and version, and since when', async (engine) => {
    assert.deepEqual(await engine.queue(START), []);
    await engine.create(newRun('a', { createdAt: START + 5 }));
    await engine.create(newRun('b', { createdAt: START + 3 }));
    await engine.create(newRun('c', { version: '2' }));
    await engine.create(newRun('d', { tenant: 'other', agent: 'else' }));
    await suspended(engine, 'timed', START + 1);
    await suspended(engine, 'waits');
    await claimed(engine, 'held');
    const lines = async (now: number) =>
      [...(await engine.queue(now))]
        .map(({ tenant, agent, version, runs, since }) => [tenant, agent, version, runs, since - START].join(' '))
        .sort();
    assert.deepEqual(await lines(START), ['other else 1 1 0', 'tenant agent 1 2 3', 'tenant agent 2 1 0']);
    await engine.post('waits', message('m', { at: START + 2 }));
    assert.deepEqual(await lines(START + LEASE_MS), ['other else 1 1 0', 'tenant agent 1 5 1', 'tenant agent 2 1 0']);
  });

  test('finds new runs, and no longer once they are claimed', async (engine) => {
    await engine.create(newRun('a'));
    assert.deepEqual(await due(engine), ['a']);
    await claimBy(engine, 'a', 'first');
    assert.deepEqual(await due(engine), []);
  });

  test('names those of a tenant first that have waited longest', async (engine) => {
    for (const [index, id] of ['d', 'a', 'c', 'b'].entries())
      await engine.create(newRun(id, { createdAt: START + index }));
    assert.deepEqual(await due(engine, START + 9), ['d', 'a', 'c', 'b']);
  });

  test('finds a run that was given back', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.release(claim, { status: 'pending', now: START });
    assert.deepEqual(await due(engine), ['a']);
  });

  test('finds a suspended run when its time has come, and not before', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    await suspended(engine, 'b'); // waits for a signal only
    assert.deepEqual(await due(engine, START + 999), []);
    assert.deepEqual(await due(engine, START + 1_000), ['a']);
    assert.deepEqual(await due(engine, START + 1_000), ['a']); // asking takes nothing away
    await claimBy(engine, 'a', 'first', START + 1_000);
    assert.deepEqual(await due(engine, START + 1_000), []);
  });

  test('forgets the timer of a run that was woken early and sleeps again', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    await engine.post('a', message('m'));
    const claim = await claimBy(engine, 'a', 'first');
    await engine.release(claim, { status: 'suspended', wakeAt: START + 5_000, waiting: [], now: START });
    assert.deepEqual(await due(engine, START + 1_000), []);
    assert.equal(await engine.nextDue(START), START + 5_000);
    assert.deepEqual(await due(engine, START + 5_000), ['a']);
  });

  test('finds a suspended run that got a message', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    await suspended(engine, 'b');
    await engine.post('b', message('m'));
    assert.deepEqual(await due(engine), ['b']);
    const claim = await claimBy(engine, 'b', 'first');
    await engine.release(claim, { status: 'suspended', waiting: ['approval'], now: START });
    assert.deepEqual(await due(engine), []); // the claim has seen it
  });

  test('finds a run that got a message after its owner looked and before it rested', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.post('a', message('m'));
    assert.deepEqual(await due(engine), []);
    await engine.release(claim, { status: 'suspended', waiting: ['approval'], now: START });
    assert.deepEqual(await due(engine), ['a']);
  });

  test('finds a paused run only after a resume or a cancellation, and not when a pause follows', async (engine) => {
    for (const id of ['a', 'b', 'c', 'd']) await rested(engine, id, 'paused');
    await engine.post('a', message('m'));
    await engine.post('b', message('m', { kind: 'resume' }));
    await engine.post('b', message('m2'));
    await engine.post('c', message('m', { kind: 'cancel' }));
    await engine.post('d', message('m', { kind: 'resume' }));
    await engine.post('d', message('m2', { kind: 'pause' }));
    assert.deepEqual([...(await due(engine))].sort(), ['b', 'c']);
  });

  test('leaves runs alone that a person has to look at, and those that have ended', async (engine) => {
    await rested(engine, 'a', 'bounded');
    await stalled(engine, 'b');
    await rested(engine, 'c', 'done');
    await engine.post('a', message('m', { kind: 'resume' }));
    await engine.post('b', message('m', { kind: 'resume' }));
    assert.deepEqual(await due(engine, START + 1e9), []);
  });

  test('finds a run whose lease is over, unless it was renewed', async (engine) => {
    const a = await claimed(engine, 'a');
    await claimed(engine, 'b');
    await renewed(engine, [a], START + 90_000);
    assert.deepEqual(await due(engine, START + 29_999), []);
    assert.deepEqual(await due(engine, START + 30_000), ['b']);
    assert.deepEqual([...(await due(engine, START + 90_000))].sort(), ['a', 'b']);
  });

  test('finds a run at once when its owner is proven gone', async (engine) => {
    await claimed(engine, 'a');
    await engine.create(newRun('b'));
    await claimBy(engine, 'b', 'second');
    assert.deepEqual(await due(engine, START, ({ id }) => id === 'second'), ['b']);
  });

  test('answers only runs of the agents asked for, and no more than asked for', async (engine) => {
    for (const id of ['a', 'b', 'c']) await engine.create(newRun(id));
    await engine.create(newRun('d', { agent: 'other' }));
    const query = { now: START, isGone: nobodyIsGone };
    assert.deepEqual(await engine.due({ ...query, limit: 100, agents: ['other'] }), ['d']);
    assert.deepEqual(await engine.due({ ...query, limit: 100, agents: [] }), []);
    assert.equal((await engine.due({ ...query, limit: 100, agents: ['agent', 'other', 'third'] })).length, 4);
    assert.equal((await engine.due({ ...query, limit: 2, agents: ['agent'] })).length, 2);
  });

  test('leaves out the versions that are left to others, and suspects where they are not asked for', async (engine) => {
    await engine.create(newRun('a'));
    await engine.create(newRun('b', { version: '2' }));
    await claimed(engine, 'c'); // its owner is gone: a new claim counts one crash
    const query = { now: START, limit: 100, agents: ['agent'], isGone: () => true };
    const version = '2';
    assert.deepEqual([...(await engine.due({ ...query, except: [{ agent: 'agent', version }] }))].sort(), ['a', 'c']);
    assert.deepEqual([...(await engine.due({ ...query, except: [{ agent: 'other', version }] }))].length, 3);
    assert.deepEqual([...(await engine.due({ ...query, crashes: { below: 1 } }))].sort(), ['a', 'b']);
    assert.deepEqual(await engine.due({ ...query, crashes: { from: 1 } }), ['c']);
    assert.equal((await engine.due({ ...query, crashes: { below: 2 } })).length, 3);
    assert.deepEqual(await engine.due({ ...query, crashes: { from: 2 } }), []);
  });

  test('leaves those asleep that the asker knows better, unless something came for them', async (engine) => {
    for (const id of ['a', 'b', 'c', 'd']) await suspended(engine, id, START + 1_000);
    await engine.post('b', message('m'));
    await engine.requeue('c');
    const query = { now: START + 1_000, limit: 100, agents: ['agent'], isGone: nobodyIsGone };
    assert.deepEqual([...(await engine.due({ ...query, asleep: ['a', 'b', 'c'] }))].sort(), ['b', 'c', 'd']);
    assert.deepEqual([...(await engine.due({ ...query, asleep: [] }))].sort(), ['a', 'b', 'c', 'd']);
  });

  test('knows the workers that are alive', async (engine) => {
    const owner = { id: 'one', host: 'h', bootId: 'b', pid: 1, startTime: '1' };
    const worker = { id: 'w1', owner, agents: { agent: '1' } };
    assert.deepEqual(await engine.workers(START), []);
    await engine.announce(worker, { now: START, forMs: 10 });
    await engine.announce({ ...worker, id: 'w2', agents: { agent: '2' } }, { now: START, forMs: 10 });
    await engine.announce(worker, { now: START, forMs: 20 }); // says it again
    assert.deepEqual((await engine.workers(START)).map(({ id }) => id).sort(), ['w1', 'w2']);
    assert.deepEqual(await engine.workers(START + 10), [{ ...worker, until: START + 20 }]);
    const all = { address: 'http://h:1', since: START, weight: 2, concurrency: 3, runs: 1, draining: true };
    const busy = { ...worker, ...all, requests: { 'key:a': 4 } };
    await engine.announce(busy, { now: START, forMs: 20 });
    assert.deepEqual(await engine.workers(START + 10), [{ ...busy, until: START + 20 }]);
    await engine.announce(worker, { now: START, forMs: 0 });
    assert.deepEqual(
      (await engine.workers(START)).map(({ id }) => id),
      ['w2'],
    );
  });

  test('answers for the runs asked for alone, and without those that are with the asker', async (engine) => {
    for (const id of ['a', 'b', 'c']) await engine.create(newRun(id));
    await claimed(engine, 'held');
    const query = { now: START + 60_000, limit: 100, agents: ['agent'], isGone: nobodyIsGone };
    assert.deepEqual(await engine.due({ ...query, only: ['b'] }), ['b']);
    assert.deepEqual([...(await engine.due({ ...query, only: ['b', 'held', 'nobody'] }))].sort(), ['b', 'held']);
    assert.deepEqual(await engine.due({ ...query, only: [] }), []);
    assert.deepEqual([...(await engine.due({ ...query, here: ['a', 'held'] }))].sort(), ['b', 'c']);
  });

  test('answers each run once, also when there are two reasons for it', async (engine) => {
    await claimed(engine, 'a');
    assert.deepEqual(await due(engine, START + 1e6, () => true), ['a']);
  });

  test('knows the next time at which something comes due by itself', async (engine) => {
    assert.equal(await engine.nextDue(START), undefined);
    await engine.create(newRun('new')); // is due already
    await suspended(engine, 'signal');
    await rested(engine, 'paused', 'paused');
    assert.equal(await engine.nextDue(START), undefined);
    await suspended(engine, 'late', START + 9_000);
    await suspended(engine, 'soon', START + 1_000);
    assert.equal(await engine.nextDue(START), START + 1_000);
    assert.equal(await engine.nextDue(START + 999), START + 1_000);
    assert.equal(await engine.nextDue(START + 1_000), START + 9_000);
    await claimed(engine, 'held');
    assert.equal(await engine.nextDue(START + 9_000), START + 30_000);
  });
}
