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
  LEASE_MS,
  message,
  newRun,
  nobodyIsGone,
  owner,
  renewed,
  reopened,
  rested,
  START,
  stalled,
  suspended,
  TENANT,
  takenOver,
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

function removal(
  of: string,
  action: 'prune' | 'erase' = 'prune',
  seen: Partial<Tombstone> = {},
): Operation & { readonly tombstone: Tombstone } {
  return { at: START, by: 'operator', action, of, tombstone: { ...tombstone, ...seen } };
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

  test('counts runs that rest, whatever they rest for', async (engine) => {
    for (const status of ['bounded', 'paused', 'done'] as const)
      for (const n of [1, 2]) await rested(engine, `${status}-${n}`, status);
    await engine.post('paused-1', message('m', { kind: 'resume' }));
    assert.deepEqual((await engine.count()).byStatus, { bounded: 2, paused: 2 });
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
    const again = await takenOver(engine, 'a', 'second');
    assert.equal(again.record.crashes, 1);
    await engine.release(again, { status: 'stalled', attention: 'it crashed', now: START });
    await engine.requeue('a');
    assert.equal((await engine.get('a'))?.crashes, 0);
  });

  test('removes a run that has ended, and leaves what the operation says of it', async (engine) => {
    for (const status of ['done', 'bounded'] as const) {
      await rested(engine, status, status);
      await engine.remove(status, removal(status, 'prune', { status }));
      assert.equal(await engine.get(status), undefined);
      assert.deepEqual(await engine.read(status, { generation: 0 }), []);
      await refuses(engine.create(newRun(status)), 'RUN_EXISTS');
    }
    await stalled(engine, 'stalled');
    const erasure = removal('stalled', 'erase', { status: 'stalled' });
    await engine.remove('stalled', erasure);
    assert.deepEqual((await engine.list({})).runs, []);
    const [only] = await engine.operations('stalled');
    assert.deepEqual({ ...only, n: 0, prev: '', hash: '' }, { ...erasure, n: 0, prev: '', hash: '' });
    assert.equal(brokenOperation(await engine.operations()), undefined);
    await refuses(engine.remove('nobody', removal('nobody')), 'RUN_NOT_FOUND');
  });

  test('keeps a run that changed after it was selected [R19-REMOVED-AS-SEEN]', async (engine) => {
    for (const [status, ends] of [
      ['bounded', 'done'],
      ['bounded', 'bounded'],
      ['stalled', 'stalled'],
    ] as const) {
      const id = `${status}-${ends}`;
      if (status === 'stalled') await stalled(engine, id);
      else await rested(engine, id, status);
      const seen = removal(id, 'prune', { status });
      await engine.requeue(id);
      await refuses(engine.remove(id, seen), 'RUN_KEPT'); // it stands in line
      const claim = await claimBy(engine, id, 'second', START + 1);
      await append(engine, claim, 1);
      const rest = ends === 'stalled' ? { status: ends, attention: 'look again' } : { status: ends };
      await engine.release(claim, { ...rest, now: START + 2 });
      await refuses(engine.remove(id, seen), 'RUN_KEPT');
      assert.equal((await engine.get(id))?.status, ends);
      assert.deepEqual(await engine.operations(id), [], 'a removal that was refused is recorded');
      await engine.remove(id, removal(id, 'prune', { status: ends, endedAt: START + 2 }));
      assert.equal(await engine.get(id), undefined);
    }
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

  test('makes no fork of a run of another tenant [R10-ARCHIVE-FORGED]', async (engine) => {
    await rested(engine, 'theirs', 'done');
    const fork = { run: 'theirs', generation: 0, seq: 0 };
    await refuses(engine.create(newRun('fork', { fork, tenant: 'another tenant' })), 'RUN_NOT_FOUND');
    assert.equal(await engine.get('fork'), undefined);
    await engine.create(newRun('fork', { fork }));
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

  test('records nothing of a hold that changes nothing', async (engine) => {
    await rested(engine, 'a', 'done');
    await engine.hold('a', { hold: false, by: 'counsel', at: START });
    assert.deepEqual(await engine.operations(), [], 'letting go of a run that is not held was recorded');
    await engine.hold('a', { hold: true, by: 'counsel', at: START });
    await engine.hold('a', { hold: true, by: 'counsel', at: START + 1 });
    assert.deepEqual((await engine.get('a'))?.hold, { by: 'counsel', at: START });
    await engine.hold('a', { hold: false, by: 'counsel', at: START + 2 });
    await engine.hold('a', { hold: false, by: 'counsel', at: START + 3 });
    const recorded = (await engine.operations('a')).map(({ action, at }) => [action, at]);
    assert.deepEqual(recorded, [
      ['hold', START],
      ['release', START + 2],
    ]);
  });

  test('removes what was said to a run and what it asked along with it', async (engine) => {
    const claim = await claimed(engine, 'a');
    const wait = { token: 'token', generation: 0, seq: 1, asked: true, since: START };
    await engine.append(claim, { entries: [entry(1)], opened: [wait] });
    await engine.post('a', message('m'));
    await engine.release(claim, { status: 'done', now: START });
    await engine.remove('a', removal('a'));
    assert.deepEqual(await engine.inbox('a', 0), [], 'the messages of a run that was removed are still there');
    assert.deepEqual(await engine.waits('a'), [], 'the open waits of a run that was removed are still there');
    const { asked, oldestAsked } = await engine.count();
    assert.deepEqual([asked, oldestAsked], [0, undefined], 'people are asked by a run that was removed');
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
    const [a, b] = [weights.get('a') ?? 0, weights.get('b') ?? 0];
    assert.ok(a > 5_000 && b < 1_000, `a journal of 5,000 bytes weighs ${a}, and one of almost none ${b}`);
    assert.equal(weights.get('nobody'), 0);
    assert.ok((await engine.size()).bytes > 0, 'storage that holds two runs has no size');
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

  test('says of the runs of an owner that is gone that they wait since it was declared [R10-WORK-GONE-SINCE]', async (engine) => {
    await claimed(engine, 'a');
    await claimed(engine, 'b');
    await engine.declareGone({ at: START + 10, by: 'operator', action: 'owner-gone', of: 'first' });
    const [line] = await engine.queue(START + 20);
    assert.equal(line?.runs, 2);
    const { since } = line;
    // an engine may have a clock of its own, by which all this took a moment
    assert.ok(since > START - LEASE_MS && since <= START + 20, `they wait since ${since - START} ms from the start`);
    assert.deepEqual([...(await due(engine, START + 20))].sort(), ['a', 'b']);
  });

  test('names an owner that is gone once, however often it was declared gone', async (engine) => {
    const gone = { at: START, by: 'operator', action: 'owner-gone' } as const;
    for (const of of ['first', 'second', 'first']) await engine.declareGone({ ...gone, of });
    assert.deepEqual([...(await engine.goneOwners())].sort(), ['first', 'second']);
    assert.equal((await engine.operations()).length, 3, 'what an operator declared was not recorded each time');
  });

  test('lets an owner that is declared gone write and take nothing any more', async (engine) => {
    const claim = await claimed(engine, 'a');
    await engine.create(newRun('b'));
    const gone = { at: START, by: 'operator', action: 'owner-gone', of: 'first', why: 'a mistake' } as const;
    await engine.declareGone(gone);
    await refuses(append(engine, claim, 1), 'JOURNAL_CONFLICT');
    assert.deepEqual(await renewed(engine, [claim], START + LEASE_MS), ['a']);
    await engine.release(claim, { status: 'done', now: START });
    for (const run of ['a', 'b']) await refuses(claimBy(engine, run, 'first', START + LEASE_MS), 'JOURNAL_CONFLICT');
    const query = { now: START + LEASE_MS, limit: 100, agents: ['agent'], isGone: nobodyIsGone };
    assert.deepEqual(await engine.take(query, { owner: owner('first'), leaseMs: LEASE_MS }), []);
    const taken = await engine.take(query, { owner: owner('first:2'), leaseMs: LEASE_MS });
    assert.deepEqual(taken.map(({ runId, record, previous }) => [runId, record.crashes, previous?.id]).sort(), [
      ['a', 1, 'first'],
      ['b', 0, undefined],
    ]);
  });

  test('lets none of the claims that an owner makes while it is declared gone hold', async (engine) => {
    const ids = Array.from({ length: 12 }, (_, n) => `r${n}`);
    for (const id of ids) await engine.create(newRun(id));
    const claims = ids.map((id) => claimBy(engine, id, 'first').catch(() => undefined));
    const gone = { at: START, by: 'operator', action: 'owner-gone', of: 'first', why: 'a mistake' } as const;
    const declared = engine.declareGone(gone);
    const later = ids.map((id) => claimBy(engine, id, 'first').catch(() => undefined));
    await declared;
    for (const claim of await Promise.all([...claims, ...later]))
      if (claim !== undefined) await refuses(append(engine, claim, 1), 'JOURNAL_CONFLICT');
  });
}
