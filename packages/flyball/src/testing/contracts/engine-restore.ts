import assert from 'node:assert/strict';
import { brokenOperation, type Operation, type Tombstone } from '../../core/operations.js';
import type { Engine, RunRecord, WholeRun } from '../../ports/engine.js';
import { claimed, type DeclareTest, entry, message, newRun, reopened, START, TENANT } from './engine-fixture.js';
import { refuses } from './suite.js';

/** How a run is taken out that stands like this. */
function taken(
  record: RunRecord,
  action: 'prune' | 'erase' | 'archive',
): Operation & { readonly tombstone: Tombstone } {
  const { id: of, agent, tenant, status, createdAt, updatedAt: endedAt } = record;
  const tombstone = { agent, tenant, status, createdAt, endedAt, digests: [], head: '' };
  return { at: START, by: 'operator', action, of, tombstone };
}
const back = (of: string): Operation => ({ at: START + 9, by: 'operator', action: 'restore', of });

/** A run that has ended in its second generation, with contents. */
async function ended(engine: Engine, id: string): Promise<WholeRun> {
  const claim = await claimed(engine, id, { source: 'agents.mjs' });
  const blobs = [['hash-of-a-content-22-ch', 'the content']] as const;
  const links = [
    { id: 'first-link', parent: undefined, header: 'h1', content: 'c1' },
    { id: 'second-link', parent: 'first-link', header: 'h2', blob: 'hash-of-a-content-22-ch' },
  ];
  const next = entry(0, { generation: 1, body: '"hash-of-a-content-22-ch"' });
  await engine.append(claim, { entries: [entry(1)], blobs, links });
  await engine.append(claim, { entries: [next], generation: 1 });
  await engine.release(claim, { status: 'failed', code: 'MODEL_REJECTED', now: START + 5, activeMs: 7 });
  const record = (await engine.get(id)) ?? assert.fail(`a run that has ended, ${id}, is gone`);
  return { record, entries: [entry(0), entry(1), next], blobs, links };
}

export function restoreContract(test: DeclareTest): void {
  test('puts a run back as it was, and not twice', async (engine, opened) => {
    const whole = await ended(engine, 'a');
    await engine.remove('a', taken(whole.record, 'archive'));
    await engine.collect(() => []);
    assert.equal(await engine.get('a'), undefined);
    await refuses(engine.create(newRun('a')), 'RUN_EXISTS'); // its id stays taken
    await engine.restore(whole, back('a'));
    await refuses(engine.restore(whole, back('a')), 'RUN_EXISTS');
    assert.deepEqual(await engine.get('a'), whole.record);
    assert.deepEqual(await engine.read('a', { generation: 0 }), whole.entries.slice(0, 2));
    assert.deepEqual(await engine.read('a', { generation: 1 }), whole.entries.slice(2));
    assert.deepEqual([...(await engine.blobs(TENANT, ['hash-of-a-content-22-ch']))], whole.blobs);
    assert.deepEqual(await engine.links(TENANT, 'second-link'), whole.links);
    assert.deepEqual(
      (await engine.operations('a')).map(({ action }) => action),
      ['archive', 'restore'],
    );
    assert.equal(brokenOperation(await engine.operations()), undefined);
    assert.deepEqual((await engine.list({ status: 'failed' })).runs, [whole.record]);
    const again = await reopened(opened);
    if (again === undefined) return;
    assert.deepEqual(await again.get('a'), whole.record);
    await again.close();
  });

  test('puts back all that the record of a run says', async (engine) => {
    await engine.create(newRun('parent'));
    const record: RunRecord = {
      ...{ id: 'a', agent: 'other', version: '7', tenant: TENANT, subject: 'ada', status: 'degraded', generation: 2 },
      ...{ createdAt: START + 1, updatedAt: START + 9, waiting: [], crashes: 0, activeMs: 11, code: 'MODEL_REJECTED' },
      ...{ fork: { run: 'parent', generation: 0, seq: 0 }, source: 'agents.mjs' },
    };
    const entries = [0, 1, 2].map((generation) => entry(0, { generation }));
    await engine.restore({ record, entries, blobs: [], links: [] }, back('a'));
    assert.deepEqual(await engine.get('a'), record);
  });

  test('takes a run out again that was put back', async (engine) => {
    const whole = await ended(engine, 'a');
    for (const _ of [1, 2]) {
      await engine.remove('a', taken(whole.record, 'archive'));
      await engine.restore(whole, back('a'));
    }
    assert.equal((await engine.operations('a')).length, 4);
  });

  test('puts nothing back that was pruned or erased, is there, or has not ended', async (engine) => {
    for (const action of ['prune', 'erase'] as const) {
      const whole = await ended(engine, action);
      await engine.remove(action, taken(whole.record, action));
      await refuses(engine.restore(whole, back(action)), 'RUN_EXISTS');
      assert.equal(await engine.get(action), undefined);
      assert.equal((await engine.operations(action)).length, 1);
    }
    const there = await ended(engine, 'there');
    await refuses(engine.restore(there, back('there')), 'RUN_EXISTS');
    for (const status of ['suspended', 'paused', 'pending', 'running', 'stalled', 'bounded'] as const) {
      const open = { ...there, record: { ...there.record, id: status, status } };
      await refuses(engine.restore(open, back(status)), 'INPUT_INVALID');
      assert.equal(await engine.get(status), undefined);
    }
    assert.deepEqual(await engine.operations('there'), []);
  });

  test('puts a fork back only beside the run of its tenant that it was forked from [R10-ARCHIVE-FORGED]', async (engine) => {
    const whole = await ended(engine, 'parent');
    const forked = (run: string, tenant = TENANT): WholeRun => ({
      ...whole,
      record: { ...whole.record, id: 'fork', tenant, fork: { run, generation: 0, seq: 1 } },
    });
    await refuses(engine.restore(forked('nobody'), back('fork')), 'RUN_NOT_FOUND');
    await refuses(engine.restore(forked('parent', 'another tenant'), back('fork')), 'RUN_NOT_FOUND');
    assert.equal(await engine.get('fork'), undefined);
    assert.deepEqual(await engine.operations('fork'), []);
    assert.equal((await engine.blobs('another tenant', ['hash-of-a-content-22-ch'])).size, 0);
    await engine.restore(forked('parent'), back('fork'));
    assert.deepEqual((await engine.get('fork'))?.fork, { run: 'parent', generation: 0, seq: 1 });
    await refuses(engine.remove('parent', taken(whole.record, 'archive')), 'RUN_KEPT');
  });

  test('takes a run from elsewhere that it has never had', async (engine) => {
    const whole = await ended(engine, 'a');
    await engine.restore({ ...whole, record: { ...whole.record, id: 'b' } }, back('b'));
    assert.deepEqual(await engine.read('b', { generation: 0 }), whole.entries.slice(0, 2));
  });

  test('puts back nothing of what was said to a run and never heard', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.post('a', message('m'));
    const wait = { token: 'token', generation: 0, seq: 1, asked: true, since: START };
    await engine.append(claim, { entries: [entry(1)], opened: [wait] });
    await engine.release(claim, { status: 'cancelled', now: START });
    const record = (await engine.get('a')) ?? assert.fail('a is gone');
    await engine.remove('a', taken(record, 'archive'));
    await engine.restore({ record, entries: [entry(0), entry(1)], blobs: [], links: [] }, back('a'));
    assert.deepEqual(await engine.get('a'), record);
    assert.deepEqual([await engine.inbox('a', 0), await engine.waits('a')], [[], []]);
  });
}
