import assert from 'node:assert/strict';
import {
  claimBy,
  claimed,
  type DeclareTest,
  due,
  entry,
  message,
  newRun,
  rested,
  START,
  stalled,
  suspended,
} from './engine-fixture.js';
import { refuses } from './suite.js';

/** post, inbox, requeue, watch: messages arrive once, in order, and are noticed. */
export function inboxContract(test: DeclareTest): void {
  test('delivers messages in order of arrival, from a number on', async (engine) => {
    await engine.create(newRun('a'));
    await engine.create(newRun('b'));
    const sent = [
      message('m1'),
      message('m2', { kind: 'cancel', name: '', from: 'cli', at: START + 1, body: 'null' }),
      message('m3', { from: 'run:b', askers: ['somebody', 'nul\u0000 and half \ud800'] }),
      message('m4', { from: 'run:b', askers: [] }),
    ];
    assert.equal(await engine.post('a', message('m1')), 'accepted');
    assert.equal(await engine.post('b', message('m1')), 'accepted');
    for (const each of sent.slice(1)) await engine.post('a', each);
    const received = await engine.inbox('a', 0);
    assert.deepEqual(
      received.map(({ number: _, ...rest }) => rest),
      sent,
    );
    const numbers = received.map(({ number }) => number);
    assert.deepEqual(
      numbers,
      [...numbers].sort((x, y) => x - y),
    );
    assert.deepEqual(
      (await engine.inbox('a', numbers[0] ?? 0)).map(({ id }) => id),
      ['m2', 'm3', 'm4'],
    );
    assert.deepEqual(await engine.inbox('a', numbers[3] ?? 0), []);
    assert.deepEqual(await engine.inbox('nobody', 0), []);
  });

  test('delivers a message once, and says so when it comes again', async (engine) => {
    const claim = await claimed(engine, 'a');
    assert.equal(await engine.post('a', message('m', { body: 'first' })), 'accepted');
    assert.equal(await engine.post('a', message('m', { body: 'second' })), 'duplicate');
    assert.deepEqual(
      (await engine.inbox('a', 0)).map(({ body }) => body),
      ['first'],
    );
    await engine.release(claim, { status: 'done', now: START });
    assert.equal(await engine.post('a', message('m')), 'duplicate');
  });

  test('lets go of the messages that a batch takes, in the same commit, and of no others', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.create(newRun('b'));
    for (const id of ['m1', 'm2', 'm3']) await engine.post('a', message(id));
    await engine.post('b', message('m1'));
    const [first, second] = await engine.inbox('a', 0);
    const taken = [first?.number ?? 0, second?.number ?? 0];
    await refuses(engine.append(claim, { entries: [entry(0, { body: 'other' })], taken }), 'JOURNAL_CONFLICT');
    assert.equal((await engine.inbox('a', 0)).length, 3);
    await engine.append(claim, { entries: [entry(1)], taken });
    assert.deepEqual(
      (await engine.inbox('a', 0)).map(({ id }) => id),
      ['m3'],
    );
    assert.equal((await engine.inbox('b', 0)).length, 1);
    assert.equal(await engine.post('a', message('m1')), 'duplicate');
    await engine.post('a', message('m4'));
    assert.deepEqual(
      (await engine.inbox('a', second?.number ?? 0)).map(({ id }) => id),
      ['m3', 'm4'],
    );
  });

  test('takes one answer to an open wait, and refuses those to waits that are answered or closed [F-C5] [F-S1]', async (engine) => {
    const claim = await claimed(engine, 'a');
    const answer = (id: string) => message(id, { kind: 'answer', name: 'token' });
    const place = { generation: 0, seq: 1, asked: true, since: START };
    assert.equal(await engine.post('a', answer('early')), 'closed');
    await engine.append(claim, { entries: [entry(1)], opened: [{ token: 'token', ...place }] });
    assert.deepEqual(await engine.waits('a'), [{ token: 'token', ...place }]);
    const both = await Promise.all([engine.post('a', answer('yes')), engine.post('a', answer('no'))]);
    assert.deepEqual([...both].sort(), ['accepted', 'answered']);
    assert.equal(await engine.post('a', answer('yes')), both[0] === 'accepted' ? 'duplicate' : 'answered');
    const [first] = await engine.inbox('a', 0);
    // taken and still open: it was refused, and somebody else may answer
    await engine.append(claim, { entries: [entry(2)], taken: [first?.number ?? 0] });
    assert.equal(await engine.post('a', answer('again')), 'accepted');
    await engine.append(claim, { entries: [entry(3)], closed: ['token'] });
    assert.equal(await engine.post('a', answer('late')), 'closed');
    assert.deepEqual(await engine.waits('a'), []);
    // opened again, with an answer that nobody has taken: it is answered
    await engine.append(claim, { entries: [entry(4)], opened: [{ token: 'token', ...place, seq: 4 }] });
    assert.equal(await engine.post('a', answer('other')), 'answered');
    assert.deepEqual(await engine.waits('nobody'), []);
  });

  test('takes no answer to one wait for an answer to another', async (engine) => {
    const claim = await claimed(engine, 'a');
    const wait = (token: string, seq: number) => ({ token, generation: 0, seq, asked: true, since: START });
    const answer = (id: string, name: string) => message(id, { kind: 'answer', name });
    await engine.append(claim, { entries: [entry(1)], opened: [wait('first', 1)] });
    await engine.append(claim, { entries: [entry(2)], opened: [wait('second', 2)], closed: ['first'] });
    assert.equal(await engine.post('a', answer('late', 'first')), 'closed');
    assert.deepEqual(await engine.inbox('a', 0), [], 'an answer that was refused is in the inbox');
    assert.equal(await engine.post('a', answer('due', 'second')), 'accepted');
    assert.deepEqual(
      (await engine.inbox('a', 0)).map(({ name }) => name),
      ['second'],
    );
  });

  test('does not wake a run for messages it has taken', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.post('a', message('m'));
    const [received] = await engine.inbox('a', 0);
    await engine.append(claim, { entries: [], taken: [received?.number ?? 0] });
    await engine.release(claim, { status: 'suspended', waiting: ['approval'], now: START });
    assert.deepEqual(await due(engine), []);
  });

  test('refuses messages to unknown and to ended runs; a bounded one can go on and accepts them', async (engine) => {
    await refuses(engine.post('nobody', message('m')), 'RUN_NOT_FOUND');
    await rested(engine, 'a', 'done');
    await refuses(engine.post('a', message('m')), 'ALREADY_TERMINAL');
    await rested(engine, 'b', 'bounded');
    assert.equal(await engine.post('b', message('m')), 'accepted');
  });

  for (const status of ['degraded', 'blocked', 'cancelled', 'failed'] as const)
    test(`leaves a run alone that has ended: ${status}`, async (engine) => {
      await engine.release(await claimed(engine, 'a'), { status, now: START });
      await refuses(engine.post('a', message('m')), 'ALREADY_TERMINAL');
      await refuses(engine.requeue('a'), 'ALREADY_TERMINAL');
      await refuses(claimBy(engine, 'a', 'second'), 'ALREADY_TERMINAL');
      assert.deepEqual(await due(engine, START + 1e9, () => true), []);
    });

  test('accepts one of several messages with one id that come at once', async (engine) => {
    await engine.create(newRun('a'));
    const posted = await Promise.all(Array.from({ length: 4 }, () => engine.post('a', message('m'))));
    assert.deepEqual([...posted].sort(), ['accepted', 'duplicate', 'duplicate', 'duplicate']);
    assert.equal((await engine.inbox('a', 0)).length, 1);
  });

  test('names open waits in the order in which they were opened', async (engine) => {
    const claim = await claimed(engine, 'a');
    const wait = (token: string, seq: number) => ({ token, generation: 0, seq, asked: false, since: START });
    await engine.append(claim, { entries: [entry(1)], opened: [wait('c', 1), wait('a', 1)] });
    await engine.append(claim, { entries: [entry(2)], opened: [wait('b', 2)] });
    assert.deepEqual(
      (await engine.waits('a')).map(({ token }) => token),
      ['c', 'a', 'b'],
    );
  });

  test('names every open wait, however many there are', async (engine) => {
    const claim = await claimed(engine, 'a');
    const tokens = Array.from({ length: 250 }, (_, n) => `token-${n}`);
    for (const [n, some] of [tokens.slice(0, 40), tokens.slice(40)].entries()) {
      const place = { generation: 0, seq: n + 1, asked: false, since: START };
      await engine.append(claim, { entries: [entry(n + 1)], opened: some.map((token) => ({ token, ...place })) });
    }
    const named = new Set((await engine.waits('a')).map(({ token }) => token));
    assert.equal(named.size, tokens.length, 'it does not name all waits that are open');
  });

  test('puts resting runs back in line', async (engine) => {
    await suspended(engine, 'a', START + 1_000);
    await rested(engine, 'b', 'paused');
    await rested(engine, 'c', 'bounded');
    await stalled(engine, 'd');
    assert.deepEqual(await due(engine), []);
    for (const id of ['a', 'b', 'c', 'd']) await engine.requeue(id);
    assert.deepEqual([...(await due(engine))].sort(), ['a', 'b', 'c', 'd']);
    const { status, wakeAt, waiting } = (await engine.get('a')) ?? assert.fail('a is gone');
    assert.deepEqual([status, wakeAt, waiting], ['pending', undefined, []]);
    assert.equal((await engine.get('d'))?.attention, undefined);
  });

  test('leaves pending and running runs alone when they are requeued', async (engine) => {
    await engine.create(newRun('a'));
    await claimed(engine, 'b');
    await engine.requeue('a');
    await engine.requeue('b');
    assert.equal((await engine.get('a'))?.status, 'pending');
    assert.equal((await engine.get('b'))?.status, 'running');
    await refuses(claimBy(engine, 'b', 'second'), 'JOURNAL_CONFLICT');
  });

  test('refuses to requeue unknown and ended runs', async (engine) => {
    await refuses(engine.requeue('nobody'), 'RUN_NOT_FOUND');
    await rested(engine, 'a', 'done');
    await refuses(engine.requeue('a'), 'ALREADY_TERMINAL');
  });

  test('calls those who watch after a post and a requeue, until they stop', async (engine) => {
    await suspended(engine, 'a');
    let [first, second] = [0, 0];
    const stopFirst = engine.watch(() => (first += 1));
    const stopSecond = engine.watch(() => (second += 1));
    await engine.post('a', message('m'));
    assert.ok(first >= 1 && second >= 1, 'not everybody who watches was called after a message');
    stopFirst();
    const [seen, before] = [first, second];
    await engine.requeue('a');
    assert.ok(second > before, 'nobody was called after a run was put back in line');
    stopSecond();
    const after = second;
    await engine.post('a', message('m2'));
    assert.deepEqual([first, second], [seen, after]);
  });

  test('names the run to those who watch here, whatever it was that happened to it', async (engine) => {
    await suspended(engine, 'posted');
    await suspended(engine, 'requeued');
    await engine.create(newRun('released'));
    const heard = new Set<string | undefined>();
    const stop = engine.watch((runId) => heard.add(runId));
    await engine.post('posted', message('m'));
    await engine.requeue('requeued');
    await engine.create(newRun('created', { inLine: true }));
    const claim = await claimBy(engine, 'released', 'first');
    await engine.release(claim, { status: 'pending', inLine: true, now: START });
    stop();
    const unnamed = ['posted', 'requeued', 'created', 'released'].filter((runId) => !heard.has(runId));
    assert.deepEqual(unnamed, [], `those who watch were not told which run it was: ${unnamed.join(', ')}`);
  });

  test('calls those who watch after a run was created or released to stand in line', async (engine) => {
    let calls = 0;
    const stop = engine.watch(() => (calls += 1));
    await engine.create(newRun('new', { inLine: true }));
    assert.ok(calls >= 1, 'nobody was called after a run was created to stand in line');
    const before = calls;
    await engine.release(await claimBy(engine, 'new', 'first'), { status: 'pending', inLine: true, now: START });
    assert.ok(calls > before, 'nobody was called after a run was released to stand in line');
    stop();
  });
}
