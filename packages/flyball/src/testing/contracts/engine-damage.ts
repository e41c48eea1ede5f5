import assert from 'node:assert/strict';
import type { Engine } from '../../ports/engine.js';
import {
  append,
  bodies,
  claimBy,
  claimed,
  type DeclareTest,
  type EngineDamage,
  LEASE_MS,
  message,
  newRun,
  type OpenEngine,
  owner,
  rested,
  START,
  TENANT,
} from './engine-fixture.js';
import { refuses } from './suite.js';

/** The call is refused because of damage to this run. */
async function damaged(call: Promise<unknown>, runId: string): Promise<void> {
  await refuses(call, 'JOURNAL_CORRUPT');
  const error = (await call.catch((cause: unknown) => cause)) as { readonly detail?: { readonly runId?: unknown } };
  assert.equal(error.detail?.runId, runId, 'the error does not say whose damage it is');
}

async function damage(opened: OpenEngine, what: EngineDamage): Promise<void> {
  assert.ok(opened.damage !== undefined, 'open() gives no `damage`, though the contract was asked to damage it');
  await opened.damage(what);
}

function take(engine: Engine, isGone = false) {
  const query = { now: START, limit: 10, agents: ['agent'], isGone: () => isGone };
  return engine.take(query, { owner: owner('taker'), leaseMs: LEASE_MS });
}

const BAD_FIELDS: readonly object[] = [
  ...[null, {}, 'owner', { ...owner('bad'), host: 1 }, { ...owner('bad'), pid: '1' }].map((value) => ({
    owner: value,
  })),
  ...[null, [], 'agent', { agent: 1 }, { agent: null }].map((agents) => ({ agents })),
  ...['heavy', null, -1, {}].flatMap((value) => [{ weight: value }, { concurrency: value }, { runs: value }]),
  ...['yesterday', null, {}].map((since) => ({ since })),
  ...[{ id: 7 }, { address: 7 }, { draining: 'yes' }, { requests: 7 }, { requests: { 'key:a': '4' } }],
  ...[{ requests: { 'key:a': 1e308 } }, { weight: 1e308 }],
];

/** One damaged row sets its own run aside and no other: for engines over storage that others can write to. */
export function damageContract(test: DeclareTest): void {
  for (const what of ['entry', 'missing-entry'] as const)
    test(`refuses a journal with a damaged entry, and no other: ${what}`, async (engine, opened) => {
      for (const id of ['bad', 'good']) await append(engine, await claimed(engine, id), 1, 2);
      await damage(opened, { what, run: 'bad', generation: 0, seq: 1 });
      await damaged(engine.read('bad', { generation: 0 }), 'bad');
      assert.equal((await bodies(engine, 'good')).length, 3);
      assert.deepEqual(
        await engine.read('bad', { generation: 0, to: 0 }),
        await engine.read('good', { generation: 0, to: 0 }),
      );
    });

  test('misses the last entry of a run that was released', async (engine, opened) => {
    const claim = await claimed(engine, 'bad');
    await append(engine, claim, 1, 2);
    await engine.release(claim, { status: 'suspended', waiting: [], now: START });
    await damage(opened, { what: 'missing-entry', run: 'bad', generation: 0, seq: 2 });
    await damaged(engine.read('bad', { generation: 0 }), 'bad');
    const again = await claimBy(engine, 'bad', 'second').catch(() => undefined);
    if (again !== undefined) await engine.release(again, { status: 'stalled', attention: 'damaged', now: START });
    await damaged(engine.read('bad', { generation: 0 }), 'bad'); // giving it up does not make it whole
  });

  test('shows a run whose record is damaged as stalled, and gives it to nobody', async (engine, opened) => {
    for (const id of ['bad', 'good']) await engine.create(newRun(id));
    await damage(opened, { what: 'record', run: 'bad' });
    assert.deepEqual(
      (await take(engine)).map(({ runId }) => runId),
      ['good'],
    );
    assert.deepEqual(
      (await take(engine, true)).map(({ runId }) => runId),
      ['good'],
    );
    const record = await engine.get('bad');
    assert.deepEqual([record?.status, record?.code], ['stalled', 'JOURNAL_CORRUPT']);
    assert.match(record?.attention ?? '', /bad is damaged/);
    const { runs } = await engine.list({});
    assert.equal(runs.length, 2);
    for (const shown of [record, runs.find(({ id }) => id === 'bad')])
      assert.deepEqual(
        [shown?.damaged, shown?.tenant, shown?.subject],
        [true, '', ''],
        'a damaged record says whose run it is, which nobody knows',
      );
    assert.equal((await engine.get('good'))?.damaged, undefined);
    await damaged(claimBy(engine, 'bad', 'second'), 'bad');
    await damaged(engine.requeue('bad'), 'bad');
    const named = await engine.due({ now: START, limit: 9, agents: ['agent'], isGone: () => false });
    assert.ok(!named.includes('bad'), 'due names a run whose record is damaged');
  });

  test('removes a run that a run of another tenant says it was forked from [R10-ARCHIVE-FORGED]', async (engine, opened) => {
    await rested(engine, 'theirs', 'done');
    await engine.create(newRun('ours', { tenant: 'another tenant' }));
    await damage(opened, { what: 'fork', run: 'ours', of: 'theirs' });
    const tombstone = { agent: 'agent', tenant: TENANT, status: 'done', createdAt: START, endedAt: START };
    const said = { at: START, by: 'operator', action: 'erase', of: 'theirs' } as const;
    await engine.remove('theirs', { ...said, tombstone: { ...tombstone, digests: [], head: '' } });
    assert.equal(await engine.get('theirs'), undefined);
  });

  test('takes what others left behind, though the owner of one run cannot be read', async (engine, opened) => {
    const claims = [await claimed(engine, 'bad'), await claimed(engine, 'good')];
    await damage(opened, { what: 'owner', run: 'bad' });
    assert.deepEqual(
      (await take(engine, true)).map(({ runId }) => runId),
      ['good'],
    );
    assert.equal((await engine.get('bad'))?.status, 'stalled');
    const gone = { at: START, by: 'rita', action: 'owner-gone', of: 'taker' } as const;
    assert.deepEqual(await engine.declareGone(gone), ['good']);
    await engine.renew(
      claims.map((claim) => ({ claim, activeMs: 1 })),
      { now: START, leaseMs: LEASE_MS },
    );
  });

  test('refuses the inbox of a run with a damaged message, and no other', async (engine, opened) => {
    for (const id of ['bad', 'good']) {
      await engine.create(newRun(id));
      await engine.post(id, message('m'));
    }
    await damage(opened, { what: 'message', run: 'bad', id: 'm' });
    await damaged(engine.inbox('bad', 0), 'bad');
    assert.equal((await engine.inbox('good', 0)).length, 1);
    assert.equal(await engine.post('good', message('n')), 'accepted');
    assert.equal((await engine.count()).byStatus.pending, 2);
  });

  test('passes over a worker whose announcement cannot be read', async (engine, opened) => {
    for (const id of ['bad', 'good'])
      await engine.announce({ id, owner: owner(id), agents: {} }, { now: START, forMs: LEASE_MS });
    await damage(opened, { what: 'worker', id: 'bad' });
    assert.deepEqual(
      (await engine.workers(START)).map(({ id }) => id),
      ['good'],
    );
  });

  test('passes over announcements that no worker can have made [R10-WORK-ANNOUNCED]', async (engine, opened) => {
    const say = (id: string) => engine.announce({ id, owner: owner(id), agents: {} }, { now: START, forMs: LEASE_MS });
    await say('good');
    const sound = { id: 'bad', owner: owner('bad'), agents: { agent: '1' } };
    for (const bad of [...BAD_FIELDS.map((fields) => ({ ...sound, ...fields })), null, [], 'bad', 7]) {
      await say('bad');
      await damage(opened, { what: 'worker', id: 'bad', as: JSON.stringify(bad) });
      const ids = (await engine.workers(START)).map(({ id }) => id);
      assert.deepEqual(ids, ['good'], `${JSON.stringify(bad)} is taken for an announcement`);
    }
    await say('bad');
    await damage(opened, { what: 'worker', id: 'bad', until: START + 1e13 });
    const ids = (await engine.workers(START)).map(({ id }) => id);
    assert.deepEqual(ids, ['good'], 'an announcement holds for centuries');
  });
}
