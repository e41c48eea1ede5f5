import assert from 'node:assert/strict';
import { LONGEST_ANNOUNCEMENT_MS } from '../../core/announcement.js';
import type { RestingState } from '../../ports/engine.js';
import {
  claimBy,
  claimed,
  type DeclareTest,
  due,
  entry,
  LEASE_MS,
  message,
  newRun,
  nobodyIsGone,
  owner,
  rested,
  START,
  stalled,
  suspended,
  takenOver,
} from './engine-fixture.js';
import { SHORT_MS } from './lease-time.js';

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
    assert.deepEqual(await lines(START + 9), ['other else 1 1 0', 'tenant agent 1 4 1', 'tenant agent 2 1 0']);
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

  test('knows the workers that are alive [R10-WORK-ANNOUNCED]', async (engine, _, time) => {
    const worker = { id: 'w1', owner: owner('one'), agents: { agent: '1' } };
    assert.deepEqual(await engine.workers(START), []);
    await engine.announce(worker, { now: START, forMs: SHORT_MS });
    await engine.announce({ ...worker, id: 'w2', agents: { agent: '2' } }, { now: START, forMs: LEASE_MS });
    await engine.announce(worker, { now: START, forMs: LEASE_MS }); // says it again
    await engine.announce({ ...worker, id: 'w3' }, { now: START, forMs: SHORT_MS });
    const alive = async () => (await engine.workers(time.now)).map(({ id }) => id).sort();
    if (time.isExact) assert.deepEqual(await alive(), ['w1', 'w2', 'w3']);
    await time.pass(SHORT_MS);
    assert.deepEqual(await alive(), ['w1', 'w2']);
    const all = { address: 'http://h:1', since: START, weight: 2, concurrency: 3, runs: 1, draining: true };
    const busy = { ...worker, ...all, requests: { 'key:a': 4 } };
    await engine.announce(busy, { now: time.now, forMs: 2 * LEASE_MS });
    await engine.announce({ ...worker, id: 'w2' }, { now: time.now, forMs: 0 }); // withdraws
    const [{ until, ...said } = { until: 0 }, ...others] = await engine.workers(time.now);
    assert.deepEqual([said, others], [busy, []]);
    time.ends(until, time.now, 2 * LEASE_MS);
  });

  test('believes no worker that it is there for longer than a day', async (engine, _, time) => {
    const worker = { owner: owner('one'), agents: { agent: '1' } };
    await engine.announce({ ...worker, id: 'once' }, { now: START, forMs: LEASE_MS });
    await engine.announce({ ...worker, id: 'ahead' }, { now: START, forMs: 1e13 });
    const said = new Map((await engine.workers(START)).map(({ id, until }) => [id, until]));
    time.ends(said.get('once'), START, LEASE_MS);
    time.ends(said.get('ahead'), START, LONGEST_ANNOUNCEMENT_MS);
    if (time.isExact) assert.deepEqual(await engine.workers(START + LONGEST_ANNOUNCEMENT_MS), []);
  });

  test('forgets what a worker said before when it says something else', async (engine) => {
    const all = { address: 'http://h:1', since: START, weight: 2, concurrency: 3, runs: 1, draining: true };
    const said = { id: 'w', owner: owner('one'), agents: { agent: '1', other: '1' }, ...all, requests: { 'key:a': 4 } };
    await engine.announce(said, { now: START, forMs: LEASE_MS });
    const worker = { id: 'w', owner: owner('one'), agents: { agent: '2' } };
    await engine.announce(worker, { now: START, forMs: LEASE_MS });
    assert.deepEqual(
      (await engine.workers(START)).map(({ until: _, ...known }) => known),
      [worker],
    );
  });

  test('counts in the queue whatever somebody has put back in line', async (engine) => {
    for (const id of ['resumed', 'cancelled', 'requeued', 'rests']) await rested(engine, id, 'paused');
    await engine.post('resumed', message('m', { kind: 'resume' }));
    await engine.post('cancelled', message('m', { kind: 'cancel' }));
    await engine.post('rests', message('m'));
    await engine.requeue('requeued');
    const counted = (await engine.queue(START)).map(({ runs }) => runs);
    assert.deepEqual(counted, [3], 'the queue does not count three of four paused runs that are due again');
  });

  test('rests again after it was resumed and paused: a resume wakes a run once', async (engine) => {
    await rested(engine, 'a', 'paused');
    await engine.post('a', message('m', { kind: 'resume' }));
    const claim = await claimBy(engine, 'a', 'second');
    await engine.release(claim, { status: 'paused', now: START });
    assert.deepEqual(await due(engine), [], 'a run that was paused after its resume was seen is due');
  });

  test('lets nothing take a cancellation back', async (engine) => {
    for (const id of ['a', 'b']) await rested(engine, id, 'paused');
    await engine.post('a', message('m1', { kind: 'cancel' }));
    await engine.post('a', message('m2', { kind: 'pause' }));
    await engine.post('b', message('m1', { kind: 'cancel' }));
    await engine.post('b', message('m2', { kind: 'resume' }));
    await engine.post('b', message('m3', { kind: 'pause' }));
    assert.deepEqual([...(await due(engine))].sort(), ['a', 'b'], 'a pause has taken a cancellation back');
  });

  test('puts a run in line that was cancelled while it was at work and would rest where nothing wakes it', async (engine) => {
    const given = async (id: string, rest: RestingState & { readonly unlessCancelled?: true }, hears?: boolean) => {
      await claimed(engine, id);
      const claim = await takenOver(engine, id, 'second');
      await engine.post(id, message('m', { kind: 'cancel' }));
      const [{ number } = { number: 0 }] = await engine.inbox(id, 0);
      if (hears === true) await engine.append(claim, { entries: [entry(1)], taken: [number] });
      await engine.release(claim, { ...rest, now: START });
      const { status, code, attention, crashes } = (await engine.get(id)) ?? assert.fail(`${id} is gone`);
      return { status, code, attention, crashes };
    };
    const [bounded, stalled] = [
      { status: 'bounded', code: 'toolCalls' },
      { status: 'stalled', attention: 'look at it', code: 'BROKE' },
    ] as const;
    const inLine = { status: 'pending', code: undefined, attention: undefined, crashes: 0 };
    assert.deepEqual(await given('a', { ...bounded, unlessCancelled: true }), inLine);
    assert.deepEqual(await given('b', { ...stalled, unlessCancelled: true }), inLine);
    assert.equal((await given('c', { ...bounded, unlessCancelled: true }, true)).status, 'bounded', 'it was heard');
    assert.equal((await given('d', stalled)).status, 'stalled', 'nobody has asked to look');
    const claim = await claimed(engine, 'e');
    await engine.post('e', message('m'));
    await engine.release(claim, { ...bounded, unlessCancelled: true, now: START });
    assert.equal((await engine.get('e'))?.status, 'bounded', 'another message is no cancellation');
    assert.deepEqual([...(await due(engine))].sort(), ['a', 'b']);
  });

  test('lets tenants take turns where it names what is due', async (engine) => {
    for (let n = 0; n < 60; n++) await engine.create(newRun(`large-${n}`, { tenant: 'large' }));
    for (const [n, id] of ['a', 'b', 'c'].entries())
      await engine.create(newRun(id, { tenant: 'small', createdAt: START + 1 + n }));
    const query = { now: START + 9, limit: 6, agents: ['agent'], isGone: nobodyIsGone };
    const named = await engine.due(query);
    assert.deepEqual([...named].sort().slice(0, 3), ['a', 'b', 'c'], 'a tenant with many runs holds up one with few');
    assert.equal(named.length, 6);
    assert.deepEqual(await engine.due({ ...query, limit: 1, after: 'large' }), ['a']);
    assert.match((await engine.due({ ...query, limit: 1, after: 'small' })).join(), /^large-/);
  });

  test('tells runs that crashed more than once from those that did so once', async (engine) => {
    await claimed(engine, 'once');
    await claimed(engine, 'twice');
    await takenOver(engine, 'twice', 'second');
    const isGone = ({ id }: { readonly id: string }) => id !== 'third';
    const query = { now: START, limit: 100, agents: ['agent'], isGone };
    const by = { owner: owner('third'), leaseMs: LEASE_MS };
    assert.deepEqual(await engine.due({ ...query, crashes: { below: 2 } }), ['once']);
    assert.deepEqual(await engine.due({ ...query, crashes: { from: 2 } }), ['twice']);
    assert.deepEqual(await engine.due({ ...query, crashes: { from: 2, below: 3 } }), ['twice']);
    assert.deepEqual(await engine.due({ ...query, crashes: { from: 1, below: 2 } }), ['once']);
    const taken = async (crashes: { readonly from?: number; readonly below?: number }) =>
      (await engine.take({ ...query, crashes }, by)).map(({ runId }) => runId);
    assert.deepEqual(await taken({ from: 3 }), []);
    assert.deepEqual(await taken({ below: 2 }), ['once']);
    assert.deepEqual(await taken({ below: 3 }), ['twice']);
  });

  test('answers for the runs asked for alone, and without those that are with the asker', async (engine) => {
    for (const id of ['a', 'b', 'c']) await engine.create(newRun(id));
    await claimed(engine, 'held');
    const query = { now: START, limit: 100, agents: ['agent'], isGone: () => true };
    assert.deepEqual(await engine.due({ ...query, only: ['b'] }), ['b']);
    assert.deepEqual([...(await engine.due({ ...query, only: ['b', 'held', 'nobody'] }))].sort(), ['b', 'held']);
    assert.deepEqual(await engine.due({ ...query, only: [] }), []);
    assert.deepEqual([...(await engine.due({ ...query, here: ['a', 'held'] }))].sort(), ['b', 'c']);
  });

  test('answers each run once, also when there are two reasons for it', async (engine) => {
    await claimed(engine, 'a');
    assert.deepEqual(await due(engine, START + 1e6, () => true), ['a']);
  });

  test('names what nobody has claimed for a while, by since when it could be claimed [R19-OVERDUE]', async (engine) => {
    const wakeAt = START + 60_000;
    await suspended(engine, 'told', wakeAt); // a message counts from when it was sent, whatever time the run waits for
    await engine.post('told', message('m', { at: START + 10 }));
    await suspended(engine, 'timed', START + 30);
    await suspended(engine, 'asleep', wakeAt);
    await suspended(engine, 'waits');
    await engine.create(newRun('new', { createdAt: START + 20 }));
    await claimed(engine, 'held');
    await engine.create(newRun('other', { agent: 'other' }));
    await rested(engine, 'done', 'done');
    const overdue = async (now: number, forMs: number) =>
      (await engine.overdue({ now, forMs, agents: ['agent'], limit: 100 })).runs.map(({ id }) => id);
    assert.deepEqual(await overdue(START + 1_000, 1_000), []);
    assert.deepEqual(await overdue(START + 1_010, 1_000), ['told']);
    assert.deepEqual(await overdue(START + 1_030, 1_000), ['told', 'new', 'timed']);
    await claimBy(engine, 'told', 'second');
    assert.deepEqual(await overdue(START + 1_030, 1_000), ['new', 'timed']);
    const { runs } = await engine.overdue({ now: START + 1_030, forMs: 1_000, agents: ['agent'], limit: 1 });
    assert.deepEqual(runs, [await engine.get('new')]);
    assert.deepEqual(await engine.overdue({ now: START + 1_030, forMs: 1_000, agents: [], limit: 1 }), { runs: [] });
  });

  test('gets behind what nobody claims, page by page, and to what becomes due later [R19-OVERDUE]', async (engine) => {
    for (const [n, id] of ['c', 'a', 'b'].entries()) await engine.create(newRun(id, { createdAt: START + (n % 2) }));
    await suspended(engine, 'd', START + 1);
    const page = async (cursor: string | undefined, now = START + 9) => {
      const behind = cursor === undefined ? {} : { cursor };
      const found = await engine.overdue({ now, forMs: 0, agents: ['agent'], limit: 1, ...behind });
      return { ids: found.runs.map(({ id }) => id).join(), cursor: found.cursor };
    };
    const ids: string[] = [];
    let last: string | undefined;
    for (let next = await page(undefined); next.cursor !== undefined; next = await page(next.cursor)) {
      ids.push(next.ids);
      last = next.cursor;
    }
    assert.deepEqual(ids, ['b', 'c', 'a', 'd']);
    await engine.create(newRun('aa', { createdAt: START + 5 }));
    assert.equal((await page(last)).ids, 'aa');
    await assert.rejects(page('mine'), { code: 'INPUT_INVALID' });
  });

  test('makes a run one of the version whose code goes on with it [R19-VERSION-CONTINUED]', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.append(claim, { entries: [entry(1)], version: '2' });
    assert.equal((await engine.get('a'))?.version, '2');
    await engine.append(claim, { entries: [entry(2)] });
    await engine.release(claim, { status: 'pending', now: START });
    const query = { now: START, limit: 9, agents: ['agent'], isGone: nobodyIsGone };
    assert.deepEqual(await engine.due({ ...query, except: [{ agent: 'agent', version: '2' }] }), []);
    assert.deepEqual(await engine.due({ ...query, except: [{ agent: 'agent', version: '1' }] }), ['a']);
    assert.deepEqual(
      (await engine.queue(START)).map(({ version }) => version),
      ['2'],
    );
    assert.equal((await claimBy(engine, 'a', 'second')).record.version, '2');
    assert.equal((await engine.list({})).runs[0]?.version, '2');
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
  });
}
