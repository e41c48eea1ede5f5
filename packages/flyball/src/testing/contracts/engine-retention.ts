import assert from 'node:assert/strict';
import { brokenOperation, type Operation, type Tombstone } from '../../core/operations.js';
import { possibleReferences } from '../../core/references.js';
import {
  append,
  claimBy,
  claimed,
  type DeclareTest,
  due,
  entry,
  newRun,
  owner,
  reopened,
  rested,
  START,
  stalled,
  suspended,
  TENANT,
} from './engine-fixture.js';
import { refuses } from './suite.js';

const tombstone: Tombstone = {
  agent: 'agent',
  tenant: 'tenant',
  status: 'done',
  createdAt: START,
  endedAt: START,
  digests: ['d'],
  head: 'h',
};

function removal(of: string, action: 'prune' | 'erase' = 'prune'): Operation & { readonly tombstone: Tombstone } {
  return { at: START, by: 'operator', action, of, tombstone };
}

/** What operators do to runs. */
export function retentionContract(test: DeclareTest): void {
  test('counts runs that have not ended, and what people are asked, over all of them', async (engine) => {
    assert.deepEqual(await engine.count(), { byStatus: {}, asked: 0, held: 0 });
    await rested(engine, 'over', 'done');
    await suspended(engine, 'waits');
    await stalled(engine, 'stands');
    for (let n = 0; n < 12; n++) await engine.create(newRun(`new-${n}`));
    const claim = await claimed(engine, 'asks');
    const wait = (token: string, asked: boolean, since: number) => ({ token, generation: 0, seq: 1, asked, since });
    const opened = [wait('a', true, START + 5), wait('b', true, START + 3), wait('c', false, START)];
    await engine.append(claim, { entries: [entry(1)], opened });
    // opened again: it has waited since the first time
    await engine.append(claim, { entries: [entry(2)], opened: [wait('b', true, START + 9)] });
    await engine.hold('over', { hold: true, by: 'counsel', at: START });
    assert.deepEqual(await engine.count(), {
      byStatus: { pending: 12, running: 1, suspended: 1, stalled: 1 },
      asked: 2,
      oldestAsked: START + 3,
      held: 1,
    });
    await engine.append(claim, { entries: [entry(3)], closed: ['a', 'b'] });
    assert.equal((await engine.count()).asked, 0);
  });

  test('refuses a cursor that no page has given out [F-O8]', async (engine) => {
    await engine.create(newRun('a'));
    for (const cursor of ['nonsense', '', '-1', '1.5', 'NaN', '9'.repeat(40)])
      await refuses(engine.list({ cursor }), 'INPUT_INVALID');
  });

  test('keeps which failure stalled or ended a run, and lists by it and by age', async (engine) => {
    const at = { attention: 'look', code: 'REPLAY_DIVERGED', now: START };
    await engine.release(await claimed(engine, 'a'), { status: 'stalled', ...at });
    await engine.release(await claimed(engine, 'b'), { status: 'failed', code: 'MODEL_REJECTED', now: START + 10 });
    const listed = async (filter: Parameters<typeof engine.list>[0]) =>
      (await engine.list(filter)).runs.map(({ id }) => id).join('');
    assert.equal((await engine.get('a'))?.code, 'REPLAY_DIVERGED');
    assert.equal(await listed({ code: 'REPLAY_DIVERGED' }), 'a');
    assert.equal(await listed({ before: START + 10 }), 'a');
    assert.equal(await listed({ before: START + 11, code: 'MODEL_REJECTED' }), 'b');
    await engine.requeue('a');
    assert.equal((await engine.get('a'))?.code, undefined);
  });

  test('forgets the crashes of a run that somebody puts back in line', async (engine) => {
    await claimed(engine, 'a');
    const again = await claimBy(engine, 'a', 'second', START + 60_000);
    assert.equal(again.record.crashes, 1);
    await engine.release(again, { status: 'stalled', attention: 'it crashed', now: START });
    await engine.requeue('a');
    assert.equal((await engine.get('a'))?.crashes, 0);
  });

  test('removes a run that has ended, and leaves what the operation says of it', async (engine) => {
    for (const status of ['done', 'bounded'] as const) {
      await rested(engine, status, status);
      await engine.remove(status, removal(status));
      assert.equal(await engine.get(status), undefined);
      assert.deepEqual(await engine.read(status, { generation: 0 }), []);
      await refuses(engine.create(newRun(status)), 'RUN_EXISTS');
    }
    await stalled(engine, 'stalled');
    await engine.remove('stalled', removal('stalled', 'erase'));
    assert.deepEqual((await engine.list({})).runs, []);
    const [only] = await engine.operations('stalled');
    assert.deepEqual(
      { ...only, n: 0, prev: '', hash: '' },
      { ...removal('stalled', 'erase'), n: 0, prev: '', hash: '' },
    );
    assert.equal(brokenOperation(await engine.operations()), undefined);
    await refuses(engine.remove('nobody', removal('nobody')), 'RUN_NOT_FOUND');
  });

  test('makes no fork of a run that is gone, and leaves the id free [R11-FORK-PRUNED]', async (engine) => {
    await rested(engine, 'parent', 'done');
    await engine.remove('parent', removal('parent'));
    const fork = { run: 'parent', generation: 0, seq: 0 };
    await refuses(engine.create(newRun('fork', { fork })), 'RUN_NOT_FOUND');
    assert.equal(await engine.get('fork'), undefined);
    await engine.create(newRun('fork'));
    await refuses(engine.create(newRun('fork', { fork })), 'RUN_EXISTS');
  });

  test('keeps what is held, what has not ended, and what a fork needs', async (engine) => {
    await suspended(engine, 'open');
    await refuses(engine.remove('open', removal('open')), 'RUN_KEPT');
    await rested(engine, 'parent', 'done');
    await engine.release(await claimed(engine, 'fork', { fork: { run: 'parent', generation: 0, seq: 0 } }), {
      status: 'done',
      now: START,
    });
    await refuses(engine.remove('parent', removal('parent')), 'RUN_KEPT');
    await engine.hold('fork', { hold: true, by: 'counsel', why: 'case 7', at: START });
    await refuses(engine.remove('fork', removal('fork')), 'RUN_KEPT');
    assert.deepEqual((await engine.get('fork'))?.hold, { by: 'counsel', why: 'case 7', at: START });
    await engine.hold('fork', { hold: true, by: 'another', at: START }); // it is held already
    await engine.hold('fork', { hold: false, by: 'counsel', at: START + 1 });
    assert.equal((await engine.get('fork'))?.hold, undefined);
    assert.deepEqual(
      (await engine.operations('fork')).map(({ action, by }) => [action, by]),
      [
        ['hold', 'counsel'],
        ['release', 'counsel'],
      ],
    );
    await engine.remove('fork', removal('fork'));
    await engine.remove('parent', removal('parent'));
    await refuses(engine.hold('nobody', { hold: true, by: 'x', at: START }), 'RUN_NOT_FOUND');
  });

  test('goes on after the newest run was removed, also when it is opened again', async (engine, opened) => {
    await rested(engine, 'a', 'done');
    await rested(engine, 'b', 'done');
    await engine.remove('b', removal('b'));
    await engine.close();
    const again = await reopened(opened);
    if (again === undefined) return;
    try {
      assert.equal((await again.get('a'))?.status, 'done');
      const claim = await claimed(again, 'c');
      await append(again, claim, 1, 2);
      assert.deepEqual(
        (await again.list({})).runs.map(({ id }) => id),
        ['c', 'a'],
      );
      assert.equal((await again.read('c', { generation: 0 })).length, 3);
    } finally {
      await again.close();
    }
  });

  test('collects contents and links that nothing refers to any more, and only those', async (engine) => {
    const id = (letter: string): string => letter.repeat(22);
    const body = (...ids: readonly string[]): string =>
      JSON.stringify({ type: 'note', tip: ids[0], long: `\u0000b${ids[1] ?? ''}` });
    const write = async (run: string, refers: readonly string[], links: readonly string[]): Promise<void> => {
      const claim = await claimed(engine, run);
      await engine.append(claim, {
        entries: [entry(1, { body: body(...refers) })],
        blobs: [...refers.slice(1), ...links].map((hash) => [hash.startsWith('l') ? hash.toUpperCase() : hash, hash]),
        links: links.map((each, index) => ({
          id: each,
          parent: index === 0 ? undefined : links[index - 1],
          header: '{}',
          blob: each.toUpperCase(),
        })),
      });
      await engine.release(claim, { status: 'done', now: START });
    };
    const [l1, l2, l3] = ['l'.padEnd(22, '1'), 'l'.padEnd(22, '2'), 'l'.padEnd(22, '3')];
    await write('keeps', [l2, id('k')], [l1, l2]);
    await write('goes', [l3, id('g')], [l1, l3]);
    assert.deepEqual(await engine.collect(possibleReferences), { contents: 0, links: 0 });
    await engine.remove('goes', removal('goes'));
    assert.deepEqual(await engine.collect(possibleReferences), { contents: 2, links: 1 });
    assert.deepEqual(
      (await engine.links(TENANT, l2)).map((link) => link.id),
      [l1, l2],
    );
    assert.deepEqual(await engine.links(TENANT, l3), []);
    const left = await engine.blobs(TENANT, [id('k'), id('g'), l1.toUpperCase(), l2.toUpperCase(), l3.toUpperCase()]);
    assert.deepEqual([...left.keys()].sort(), [id('k'), l1.toUpperCase(), l2.toUpperCase()].sort());
  });

  test('collects what one tenant refers to no more, also where another does', async (engine) => {
    const hash = 'c'.repeat(22);
    for (const tenant of ['one', 'two']) {
      const claim = await claimed(engine, tenant, { tenant });
      const body = JSON.stringify({ type: 'note', refs: [hash] });
      await engine.append(claim, { entries: [entry(1, { body })], blobs: [[hash, 'content']] });
      await engine.release(claim, { status: 'done', now: START });
    }
    await engine.remove('one', removal('one'));
    assert.deepEqual(await engine.collect(possibleReferences), { contents: 1, links: 0 });
    assert.equal((await engine.blobs('one', [hash])).size, 0);
    assert.equal((await engine.blobs('two', [hash])).size, 1);
  });

  test('weighs journals, and says how much there is', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.append(claim, { entries: [entry(1, { body: JSON.stringify({ type: 'x'.repeat(5_000) }) })] });
    await engine.create(newRun('b'));
    const weights = await engine.weigh(['a', 'b', 'nobody'], possibleReferences);
    assert.ok((weights.get('a') ?? 0) > 5_000 && (weights.get('b') ?? 0) < 1_000);
    assert.equal(weights.get('nobody'), 0);
    assert.ok((await engine.size()).bytes > 0);
  });

  test('weighs contents with the last run that refers to them [R8-TRIAL-O1]', async (engine) => {
    const shared = 's'.repeat(22);
    const own = 'o'.repeat(22);
    const tip = 't'.repeat(22);
    const inChain = 'c'.repeat(22);
    const first = await claimed(engine, 'a');
    await engine.append(first, {
      blobs: [
        [shared, 'x'.repeat(30_000)],
        [own, 'y'.repeat(10_000)],
      ],
      entries: [entry(1, { body: JSON.stringify({ type: 'x', refs: [shared, own] }) })],
    });
    await engine.create(newRun('b'));
    const second = await claimBy(engine, 'b', 'second');
    await engine.append(second, {
      blobs: [[inChain, 'z'.repeat(5_000)]],
      links: [{ id: tip, parent: undefined, header: 'h', blob: inChain }],
      entries: [entry(1, { body: JSON.stringify({ type: 'x', refs: [shared, tip] }) })],
    });
    const kilobytes = async (...ids: readonly string[]) =>
      [...(await engine.weigh(ids, possibleReferences))]
        .map(([id, bytes]) => [id, Math.floor(bytes / 5_000) * 5])
        .sort();
    assert.deepEqual(await kilobytes('a', 'b'), [
      ['a', 10],
      ['b', 35],
    ]);
    assert.deepEqual(await kilobytes('b', 'a'), [
      ['a', 40],
      ['b', 5],
    ]);
  });

  test('believes an operator that an owner is gone', async (engine) => {
    await claimed(engine, 'a');
    await engine.create(newRun('b'));
    await claimBy(engine, 'b', 'second');
    assert.deepEqual(await due(engine, START + 1), []);
    const gone = { at: START, by: 'operator', action: 'owner-gone', of: 'first', why: 'container removed' } as const;
    assert.deepEqual(await engine.declareGone(gone), ['a']);
    assert.deepEqual(await engine.goneOwners(), ['first']);
    assert.deepEqual(await due(engine, START + 1), ['a']);
    const claim = await claimBy(engine, 'a', 'third', START + 1);
    assert.deepEqual(claim.previous, owner('first'));
    assert.deepEqual(
      (await engine.operations('first')).map(({ action, why }) => [action, why]),
      [['owner-gone', 'container removed']],
    );
  });
}
