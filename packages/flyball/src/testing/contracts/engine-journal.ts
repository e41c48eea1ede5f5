import assert from 'node:assert/strict';
import type { Batch, Engine } from '../../ports/engine.js';
import {
  append,
  bodies,
  claimed,
  type DeclareTest,
  entry,
  message,
  newRun,
  reopened,
  START,
  TENANT,
  takenOver,
} from './engine-fixture.js';
import { refuses } from './suite.js';

const HASHES = ['n4bQgYhMfWWaL-qgxVrQ_w', 'z_8AAAAAAAAAAAAAAAAAA9', 'z_8AAAAAAAAAAAAAAAAAA8', 'short'] as const;

/** append, read, blobs, links: whole batches or nothing, and everything comes back as it was given. */
export function journalContract(test: DeclareTest): void {
  test('reads back what was appended, in order, with inclusive bounds', async (engine) => {
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1, 2);
    await append(engine, claim, 3);
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0), entry(1), entry(2), entry(3)]);
    const range = await engine.read('a', { generation: 0, from: 1, to: 2 });
    assert.deepEqual(range, [entry(1), entry(2)]);
    assert.deepEqual(await engine.read('a', { generation: 0, from: 3 }), [entry(3)]);
    assert.deepEqual(await engine.read('a', { generation: 0, to: 0 }), [entry(0)]);
  });

  test('reads an unknown run and an unknown generation as empty', async (engine) => {
    await engine.create(newRun('a'));
    assert.deepEqual(await engine.read('nobody', { generation: 0 }), []);
    assert.deepEqual(await engine.read('a', { generation: 1 }), []);
  });

  test('keeps the entries of runs and generations apart', async (engine) => {
    const a = await claimed(engine, 'a');
    const b = await claimed(engine, 'b');
    await engine.append(a, { entries: [entry(1, { body: 'of a' })] });
    await engine.append(b, { entries: [entry(1, { body: 'of b' })] });
    const next = entry(0, { generation: 1, body: 'next' });
    await engine.append(a, { entries: [entry(2), next], generation: 1 });
    assert.deepEqual((await bodies(engine, 'a'))[1], 'of a');
    assert.deepEqual((await bodies(engine, 'b'))[1], 'of b');
    assert.deepEqual(await engine.read('a', { generation: 1 }), [next]);
    assert.equal((await engine.get('a'))?.generation, 1);
    assert.equal((await engine.get('b'))?.generation, 0);
  });

  test('keeps text that no encoding survives by chance', async (engine) => {
    const hard = [
      '',
      'NUL \u0000 inside',
      'half a pair \ud800',
      'é 漢字 🧭',
      'e\u0301 \u212b \ufb01',
      `long ${'x'.repeat(100_000)}`,
    ];
    const claim = await claimed(engine, 'a');
    await engine.append(claim, {
      entries: hard.map((body, index) => entry(index + 1, { body })),
      blobs: hard.map((body, index) => [`hash-${index}`, body] as const),
      links: hard.map((content, index) => ({ id: `link-${index}`, parent: undefined, header: content, content })),
    });
    assert.deepEqual((await bodies(engine, 'a')).slice(1), hard);
    assert.deepEqual(
      [
        ...(
          await engine.blobs(
            TENANT,
            hard.map((_, index) => `hash-${index}`),
          )
        ).values(),
      ],
      hard,
    );
    for (const [index, content] of hard.entries()) {
      assert.deepEqual(await engine.links(TENANT, `link-${index}`), [
        { id: `link-${index}`, parent: undefined, header: content, content },
      ]);
    }
  });

  test('keeps whole and fractional numbers as they are', async (engine) => {
    const claim = await claimed(engine, 'a');
    const odd = entry(1, { at: START + 0.5, activeMs: 12.25 });
    await engine.append(claim, { entries: [odd] });
    assert.deepEqual(await engine.read('a', { generation: 0, from: 1 }), [odd]);
  });

  test('refuses a taken position and writes nothing of that batch', async (engine) => {
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1);
    const batch = {
      entries: [entry(2), entry(1, { body: 'again' })],
      blobs: [['h', 'content']],
      generation: 7,
    } as const;
    await refuses(engine.append(claim, batch), 'JOURNAL_CONFLICT');
    await refuses(engine.append(claim, { entries: [entry(3), entry(3)] }), 'JOURNAL_CONFLICT');
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0), entry(1)]);
    assert.equal((await engine.blobs(TENANT, ['h'])).size, 0);
    assert.equal((await engine.get('a'))?.generation, 0);
    await append(engine, claim, 2);
  });

  test('refuses an entry that does not follow the one before it, and writes nothing of that batch', async (engine) => {
    const claim = await claimed(engine, 'a');
    const first = (seq: number) => entry(seq, { generation: 1 });
    for (const entries of [[entry(2)], [entry(1), entry(3)], [entry(1), first(1)], [entry(2), entry(1)]])
      await refuses(engine.append(claim, { entries, blobs: [['h', 'content']] }), 'JOURNAL_CONFLICT');
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0)]);
    assert.deepEqual(await engine.read('a', { generation: 1 }), []);
    assert.equal((await engine.blobs(TENANT, ['h'])).size, 0);
    await engine.append(claim, { entries: [entry(1), first(0), first(1)], generation: 1 });
    assert.equal((await engine.read('a', { generation: 1 })).length, 2);
  });

  test('keeps nothing of a refused batch beside the journal either', async (engine) => {
    const stale = await claimed(engine, 'a');
    const claim = await takenOver(engine, 'a', 'second'); // one crash
    const wait = (token: string, seq: number) => ({ token, generation: 0, seq, asked: true, since: START });
    await engine.append(claim, { entries: [entry(1)], opened: [wait('open', 1)] });
    await engine.post('a', message('m'));
    const stand = async () => ({
      record: await engine.get('a'),
      waits: await engine.waits('a'),
      inbox: await engine.inbox('a', 0),
      blobs: [...(await engine.blobs(TENANT, ['h']))],
      links: await engine.links(TENANT, 'tip'),
    });
    const before = await stand();
    const link = { id: 'tip', parent: undefined, header: '', content: 'x' };
    const batch: Omit<Batch, 'entries'> = {
      ...{ opened: [wait('new', 2)], closed: ['open'], taken: before.inbox.map(({ number }) => number) },
      ...{ progress: true, version: '2', generation: 3, blobs: [['h', 'content']], links: [link] },
    };
    const orphan = { ...link, id: 'orphan', parent: 'missing' };
    const other = entry(1, { body: 'other' });
    await refuses(engine.append(claim, { ...batch, entries: [other] }), 'JOURNAL_CONFLICT');
    await refuses(engine.append(stale, { ...batch, entries: [entry(2)] }), 'JOURNAL_CONFLICT');
    await refuses(engine.append(claim, { ...batch, entries: [entry(2)], links: [link, orphan] }), 'INPUT_INVALID');
    assert.deepEqual(await stand(), before);
    await engine.append(claim, { ...batch, entries: [entry(2)] });
  });

  test('takes a batch that was written before for written, and changes nothing', async (engine) => {
    const claim = await claimed(engine, 'a');
    const batch = { entries: [entry(1), entry(2)], blobs: [['h', 'content']], generation: 0 } as const;
    await engine.append(claim, batch);
    await append(engine, claim, 3);
    await engine.append(claim, batch);
    const [again] = await Promise.allSettled([engine.append(claim, batch), append(engine, claim, 4)]);
    assert.equal(again.status, 'fulfilled');
    assert.deepEqual(
      await engine.read('a', { generation: 0 }),
      [0, 1, 2, 3, 4].map((seq) => entry(seq)),
    );
    await refuses(engine.append(claim, { entries: [entry(1), entry(2, { body: 'other' })] }), 'JOURNAL_CONFLICT');
    await refuses(engine.append(claim, { entries: [entry(4), entry(5, { seq: 4 })] }), 'JOURNAL_CONFLICT');
    await takenOver(engine, 'a', 'second');
    await refuses(engine.append(claim, batch), 'JOURNAL_CONFLICT'); // whoever was replaced is told so
  });

  test('refuses a batch of which only a part stands there already, and writes none of the rest', async (engine) => {
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1);
    const batch = { entries: [entry(1), entry(2)], blobs: [['h', 'content']] } as const;
    await refuses(engine.append(claim, batch), 'JOURNAL_CONFLICT');
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0), entry(1)]);
    assert.equal((await engine.blobs(TENANT, ['h'])).size, 0, 'the contents of a refused batch are stored');
    await append(engine, claim, 2);
  });

  test('refuses a batch that comes again with another time in it', async (engine) => {
    const claim = await claimed(engine, 'a');
    await append(engine, claim, 1, 2);
    for (const other of [{ at: START + 9 }, { activeMs: 9 }])
      await refuses(engine.append(claim, { entries: [entry(1), entry(2, other)] }), 'JOURNAL_CONFLICT');
    assert.deepEqual(await engine.read('a', { generation: 0 }), [entry(0), entry(1), entry(2)]);
    await append(engine, claim, 1, 2);
  });

  test('changes nothing beside the journal either when a batch comes again', async (engine) => {
    const claim = await claimed(engine, 'a');
    const place = { generation: 0, asked: true, since: START };
    const first = { entries: [entry(1)], opened: [{ token: 'first', seq: 1, ...place }] };
    const second = { entries: [entry(2)], opened: [{ token: 'second', seq: 2, ...place }], closed: ['first'] };
    await engine.append(claim, first);
    await engine.append(claim, second);
    await engine.append(claim, { entries: [entry(0, { generation: 1 })], generation: 1 });
    await engine.append(claim, { ...first, generation: 0 });
    assert.deepEqual(
      (await engine.waits('a')).map(({ token }) => token),
      ['second'],
    );
    assert.equal((await engine.get('a'))?.generation, 1);
    await engine.append(claim, second);
    assert.equal((await engine.waits('a')).length, 1);
  });

  test('refuses whatever comes under a stale claim, entries or none', async (engine) => {
    const stale = await claimed(engine, 'a');
    await engine.post('a', message('m'));
    await takenOver(engine, 'a', 'second');
    await refuses(engine.append(stale, { entries: [], taken: [1] }), 'JOURNAL_CONFLICT');
    assert.equal((await engine.inbox('a', 0)).length, 1);
  });

  test('has no limit to how much is written and read in one go', async (engine) => {
    const many = Array.from({ length: 1_500 }, (_, n) => n);
    const claim = await claimed(engine, 'a');
    const links = many.map((n) => ({
      id: `link-${n}`,
      parent: n === 0 ? undefined : `link-${n - 1}`,
      header: 'h',
      content: `${n}`,
    }));
    const blobs = many.map((n) => [`hash-${n}`, `content ${n}`] as const);
    await engine.append(claim, { entries: many.map((n) => entry(n + 1)), blobs, links });
    assert.equal((await engine.read('a', { generation: 0 })).length, many.length + 1);
    const hashes = blobs.map(([hash]) => hash);
    assert.equal((await engine.blobs(TENANT, hashes)).size, many.length);
    assert.deepEqual(await engine.links(TENANT, 'link-1499'), links);
    for (const n of many.slice(0, 120)) await engine.post('a', message(`m${n}`));
    const inbox = await engine.inbox('a', 0);
    assert.deepEqual(
      inbox.map(({ id }) => id),
      many.slice(0, 120).map((n) => `m${n}`),
    );
    await engine.append(claim, { entries: [], taken: inbox.map(({ number }) => number) });
    assert.deepEqual(await engine.inbox('a', 0), []);
  });

  test('reads a journal of any length', async (engine) => {
    const claim = await claimed(engine, 'a');
    const batch = 1_000;
    for (let first = 1; first <= 12 * batch; first += batch)
      await engine.append(claim, { entries: Array.from({ length: batch }, (_, n) => entry(first + n)) });
    const seqs = (await engine.read('a', { generation: 0 })).map(({ seq }) => seq);
    assert.deepEqual([seqs.length, seqs.at(-1)], [12 * batch + 1, 12 * batch]);
    const rest = await engine.read('a', { generation: 0, from: 1_500 });
    assert.deepEqual([rest.length, rest[0]?.seq], [10_501, 1_500]);
  });

  test('keeps the contents and links of tenants apart', async (engine) => {
    const [hash, root] = [HASHES[0], HASHES[1]];
    const link = { id: root, parent: undefined, header: 'setup', blob: hash };
    const theirs = await claimed(engine, 'a', { tenant: 'other' });
    await engine.append(theirs, { entries: [entry(1)], blobs: [[hash, 'theirs']], links: [link] });
    assert.equal((await engine.blobs(TENANT, [hash])).size, 0);
    assert.deepEqual(await engine.links(TENANT, root), []);
    const ours = await claimed(engine, 'b');
    await refuses(engine.append(ours, { entries: [entry(1)], links: [link] }), 'INPUT_INVALID');
    const child = { id: HASHES[2], parent: root, header: 'log', content: '' };
    await refuses(engine.append(ours, { entries: [entry(1)], links: [child] }), 'INPUT_INVALID');
    await engine.append(ours, { entries: [entry(1)], blobs: [[hash, 'ours']], links: [link] });
    assert.equal((await engine.blobs(TENANT, [hash])).get(hash), 'ours');
    assert.equal((await engine.blobs('other', [hash])).get(hash), 'theirs');
    assert.deepEqual(await engine.links('other', root), [link]);
    assert.equal((await engine.blobs('nobody', [hash])).size, 0);
  });

  test('reads no contents and no links of one tenant for another', async (engine) => {
    for (const tenant of [TENANT, 'other']) {
      const claim = await claimed(engine, `of-${tenant}`, { tenant });
      const links = [{ id: `link-${tenant}`, parent: undefined, header: 'setup', content: tenant }];
      await engine.append(claim, { entries: [entry(1)], blobs: [[`hash-${tenant}`, tenant]], links });
    }
    for (const [tenant, theirs] of [
      [TENANT, 'other'],
      ['other', TENANT],
      ['third', TENANT],
    ] as const) {
      assert.deepEqual(await engine.links(tenant, `link-${theirs}`), [], 'a tenant reads links of another');
      assert.equal((await engine.blobs(tenant, [`hash-${theirs}`])).size, 0, 'a tenant reads contents of another');
    }
  });

  test('lets a conflict of one run spoil no other append of the same turn', async (engine) => {
    const stale = await claimed(engine, 'a');
    await takenOver(engine, 'a', 'second');
    const [b, c] = [await claimed(engine, 'b'), await claimed(engine, 'c')];
    const results = await Promise.allSettled([
      append(engine, b, 1),
      append(engine, stale, 1),
      engine.append(c, { entries: [entry(0, { body: 'another' })] }), // taken
      append(engine, b, 2),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.equal((await bodies(engine, 'a')).length, 1);
    assert.equal((await bodies(engine, 'b')).length, 3);
    assert.equal((await bodies(engine, 'c')).length, 1);
  });

  test('refuses to write for a run that does not exist', async (engine) => {
    const claim = await claimed(engine, 'a');
    await refuses(append(engine, { ...claim, runId: 'nobody' }, 1), 'JOURNAL_CONFLICT');
  });

  test('stores contents once however often they come, and leaves out what it does not have', async (engine) => {
    const claim = await claimed(engine, 'a', { first: { entries: [entry(0)], blobs: [[HASHES[0], 'first']] } });
    await engine.append(claim, { entries: [entry(1)], blobs: HASHES.map((hash) => [hash, `of ${hash}`] as const) });
    const found = await engine.blobs(TENANT, [...HASHES, 'missing']);
    assert.deepEqual(
      [...found],
      HASHES.map((hash, index) => [hash, index === 0 ? 'first' : `of ${hash}`]),
    );
  });

  test('reads a chain of links from its tip, oldest first, whichever run stored them', async (engine) => {
    const [root, middle, tip] = [HASHES[0], HASHES[1], HASHES[2]];
    const links = [
      { id: root, parent: undefined, header: 'setup', content: 'be brief' },
      { id: middle, parent: root, header: 'log', blob: 'h' },
      { id: tip, parent: middle, header: 'log', content: '' },
    ];
    const a = await claimed(engine, 'a');
    await engine.append(a, { entries: [entry(1)], blobs: [['h', 'long content']], links: links.slice(0, 2) });
    const b = await claimed(engine, 'b');
    await engine.append(b, { entries: [entry(1)], links }); // the first two come again
    assert.deepEqual(await engine.links(TENANT, tip), links);
    assert.deepEqual(await engine.links(TENANT, middle), links.slice(0, 2));
    assert.deepEqual(await engine.links(TENANT, 'missing'), []);
  });

  test('refuses a link whose parent or content is not stored, and writes nothing of that batch', async (engine) => {
    const claim = await claimed(engine, 'a');
    const orphan = { id: 'tip', parent: 'missing', header: '', content: 'x' };
    await refuses(engine.append(claim, { entries: [entry(1)], links: [orphan] }), 'INPUT_INVALID');
    const empty = { id: 'tip', parent: undefined, header: '', blob: 'missing' };
    await refuses(engine.append(claim, { entries: [entry(1)], links: [empty] }), 'INPUT_INVALID');
    assert.equal((await bodies(engine, 'a')).length, 1);
    assert.deepEqual(await engine.links(TENANT, 'tip'), []);
    await append(engine, claim, 1);
  });

  test('has everything again after it was closed and opened, claims included', async (engine, opened) => {
    const claim = await claimed(engine, 'a', { first: { entries: [entry(0)], blobs: [['h', 'content']] } });
    await append(engine, claim, 1);
    const before = await engine.get('a');
    await engine.close();
    const again = await reopened(opened);
    if (again === undefined) return;
    assert.deepEqual(await again.get('a'), before);
    assert.deepEqual(await again.read('a', { generation: 0 }), [entry(0), entry(1)]);
    assert.equal((await again.blobs(TENANT, ['h'])).get('h'), 'content');
    await append(again, claim, 2);
    await again.close();
  });

  test('has again what is beside the journals: messages, open waits, links, holds and operations', async (engine, opened) => {
    const claim = await claimed(engine, 'a');
    const links = [{ id: 'tip', parent: undefined, header: 'h', content: 'c' }];
    const wait = { token: 'token', generation: 0, seq: 1, asked: true, since: START };
    for (const id of ['taken', 'left']) await engine.post('a', message(id));
    const [first] = await engine.inbox('a', 0);
    await engine.append(claim, { entries: [entry(1)], links, opened: [wait], taken: [first?.number ?? 0] });
    await engine.hold('a', { hold: true, by: 'counsel', at: START });
    const kept = async (of: Engine) => ({
      inbox: await of.inbox('a', 0),
      waits: await of.waits('a'),
      links: await of.links(TENANT, 'tip'),
      hold: (await of.get('a'))?.hold,
      operations: await of.operations(),
    });
    const before = await kept(engine);
    assert.deepEqual([before.inbox.map(({ id }) => id), before.operations.length], [['left'], 1]);
    await engine.close();
    const again = await reopened(opened);
    if (again === undefined) return;
    assert.deepEqual(await kept(again), before);
    for (const id of ['taken', 'left']) assert.equal(await again.post('a', message(id)), 'duplicate');
    await again.close();
  });
}
