import assert from 'node:assert/strict';
import type { RecordKey, Store, StoreQuery } from '../../ports/store.js';
import { refuses } from './suite.js';

/** A store to test with `storeContract`. */
export interface OpenStore {
  readonly store: Store;
  close(): Promise<void>;
}
export type StoreTest = (store: Store) => Promise<void>;

const NOW = 1_700_000_000_000;

function at(key: string, given: Partial<RecordKey> = {}): RecordKey {
  return { tenant: 'tenant', owner: 'ann', collection: 'facts', key, ...given };
}

/** Proposes and commits in one go; answers the version. */
async function put(store: Store, where: RecordKey, value: unknown): Promise<number> {
  const over = (await store.get(where))?.version ?? 0;
  const id = `${where.key}-${over}-${(await store.history(where)).length}`;
  await store.propose(where, { id, over, value, now: NOW });
  return (await store.commit(where, id, NOW)).version;
}

async function keys(store: Store, query: Partial<StoreQuery>): Promise<string> {
  const found = await store.query({ tenant: 'tenant', owner: 'ann', collection: 'facts', ...query });
  return found.records.map(({ key }) => key).join(' ');
}

export function recordContract(test: (title: string, body: StoreTest) => void): void {
  test('shows a record only once its proposal is committed', async (store) => {
    assert.deepEqual(await store.propose(at('a'), { id: 'p', over: 0, value: { n: 1 }, now: NOW }), { version: 1 });
    assert.equal(await store.get(at('a')), undefined);
    assert.equal(await keys(store, {}), '');
    assert.deepEqual(await store.history(at('a')), []);
    const committed = await store.commit(at('a'), 'p', NOW + 5);
    assert.deepEqual(committed, { key: 'a', version: 1, value: { n: 1 }, at: NOW + 5 });
    assert.deepEqual(await store.get(at('a')), committed);
  });

  test('keeps any JSON value, and hands out copies', async (store) => {
    for (const value of [null, false, 0, '', 'NUL \u0000', [1, [2]], { deep: { list: [null, 'é 漢'] } }]) {
      await put(store, at('a'), value);
      assert.deepEqual((await store.get(at('a')))?.value, value);
    }
    const given = { list: [1] };
    await put(store, at('b'), given);
    given.list.push(2);
    const handed = (await store.get(at('b')))?.value as typeof given | undefined;
    handed?.list.push(3);
    assert.deepEqual((await store.get(at('b')))?.value, { list: [1] });
  });

  test('refuses what JSON cannot say', async (store) => {
    const propose = (value: unknown) =>
      Promise.resolve().then(() => store.propose(at('a'), { id: 'p', over: 0, value, now: NOW }));
    await refuses(propose(undefined), 'VALUE_NOT_SERIALIZABLE');
    await refuses(propose({ when: new Date(0) }), 'VALUE_NOT_SERIALIZABLE');
    await refuses(propose(Number.NaN), 'VALUE_NOT_SERIALIZABLE');
  });

  test('counts versions, and keeps the history oldest first', async (store) => {
    assert.equal(await put(store, at('a'), 'one'), 1);
    assert.equal(await put(store, at('a'), 'two'), 2);
    assert.deepEqual(await store.history(at('a')), [
      { key: 'a', version: 1, value: 'one', at: NOW },
      { key: 'a', version: 2, value: 'two', at: NOW },
    ]);
    assert.equal((await store.get(at('a')))?.value, 'two');
  });

  test('refuses a proposal over another version than the committed one', async (store) => {
    await put(store, at('a'), 'one');
    await refuses(store.propose(at('a'), { id: 'p', over: 0, value: 'x', now: NOW }), 'RECORD_CONFLICT');
    await refuses(store.propose(at('a'), { id: 'p', over: 2, value: 'x', now: NOW }), 'RECORD_CONFLICT');
    await refuses(store.propose(at('b'), { id: 'p', over: 1, value: 'x', now: NOW }), 'RECORD_CONFLICT');
  });

  test('lets the first of two proposals over one version win', async (store) => {
    await store.propose(at('a'), { id: 'p', over: 0, value: 'p', now: NOW });
    await store.propose(at('a'), { id: 'q', over: 0, value: 'q', now: NOW });
    await store.commit(at('a'), 'q', NOW);
    await refuses(store.commit(at('a'), 'p', NOW), 'RECORD_CONFLICT');
    assert.equal((await store.get(at('a')))?.value, 'q');
  });

  test('answers a repeated proposal with the first one, before and after it was committed', async (store) => {
    await store.propose(at('a'), { id: 'p', over: 0, value: 'first', now: NOW });
    assert.deepEqual(await store.propose(at('a'), { id: 'p', over: 0, value: 'second', now: NOW }), { version: 1 });
    const committed = await store.commit(at('a'), 'p', NOW);
    assert.equal(committed.value, 'first');
    await put(store, at('a'), 'later');
    assert.deepEqual(await store.propose(at('a'), { id: 'p', over: 0, value: 'third', now: NOW }), { version: 1 });
    assert.deepEqual(await store.commit(at('a'), 'p', NOW + 9), committed); // twice is the same as once
    assert.equal((await store.get(at('a')))?.value, 'later');
  });

  test('forgets a dropped proposal, and drops nothing that was committed', async (store) => {
    await store.propose(at('a'), { id: 'p', over: 0, value: 'p', now: NOW });
    await store.drop(at('a'), 'p');
    await refuses(store.commit(at('a'), 'p', NOW), 'RECORD_CONFLICT');
    await store.drop(at('a'), 'never proposed');
    await store.drop(at('nowhere'), 'p');
    await put(store, at('a'), 'kept');
    await store.drop(at('a'), 'a-0-0');
    assert.equal((await store.get(at('a')))?.value, 'kept');
    await refuses(store.commit(at('nowhere'), 'p', NOW), 'RECORD_CONFLICT');
  });

  test('erases the contents of all versions and proposals and keeps a tombstone', async (store) => {
    await put(store, at('a'), 'one');
    await put(store, at('a'), 'two');
    await store.propose(at('a'), { id: 'open', over: 2, value: 'three', now: NOW });
    await store.erase(at('a'), NOW + 1);
    assert.equal(await store.get(at('a')), undefined);
    assert.equal(await keys(store, {}), '');
    assert.deepEqual(await store.history(at('a')), [
      { key: 'a', version: 1, value: undefined, at: NOW, erased: true },
      { key: 'a', version: 2, value: undefined, at: NOW, erased: true },
    ]);
    await refuses(store.commit(at('a'), 'open', NOW), 'RECORD_CONFLICT');
    await store.erase(at('nowhere'), NOW);
    assert.deepEqual(await store.history(at('nowhere')), []);
  });

  test('takes an erased record for a new one: a writer who knew the old is refused, versions go on', async (store) => {
    await put(store, at('a'), 'one');
    await store.erase(at('a'), NOW);
    await refuses(store.propose(at('a'), { id: 'p', over: 1, value: 'from memory', now: NOW }), 'RECORD_CONFLICT');
    assert.equal(await put(store, at('a'), 'fresh'), 2);
    assert.deepEqual(
      (await store.history(at('a'))).map(({ value }) => value),
      [undefined, 'fresh'],
    );
  });

  test('shows nothing of another tenant, owner or collection', async (store) => {
    await put(store, at('a'), 'mine');
    const others = [{ tenant: 'other' }, { owner: 'bob' }, { collection: 'other' }] as const;
    for (const other of others) {
      assert.equal(await store.get(at('a', other)), undefined);
      assert.deepEqual(await store.history(at('a', other)), []);
      assert.equal(await keys(store, other), '');
      await store.erase(at('a', other), NOW);
      assert.equal(await put(store, at('a', other), 'theirs'), 1);
    }
    assert.equal((await store.get(at('a')))?.value, 'mine');
    assert.equal(await keys(store, { tenant: 'ten', owner: 'antann' }), ''); // names joined to the same text stay apart
  });

  test('finds records in key order, by prefix and by top-level fields', async (store) => {
    for (const [key, value] of Object.entries({
      'b/2': { color: 'red', size: 1 },
      'b/1': { color: 'blue', size: 1 },
      a: { color: 'red', size: true },
      c: { color: 'red', gone: null },
      '': 'no object',
      '😀': [1],
      '\uffee': [2],
    })) {
      await put(store, at(key), value);
    }
    assert.equal(await keys(store, {}), ' a b/1 b/2 c \uffee 😀'); // the order of the bytes, not of UTF-16 units
    assert.equal(await keys(store, { prefix: 'b/' }), 'b/1 b/2');
    assert.equal(await keys(store, { where: { color: 'red' } }), 'a b/2 c');
    assert.equal(await keys(store, { where: { size: 1 } }), 'b/1 b/2');
    assert.equal(await keys(store, { where: { size: true } }), 'a');
    assert.equal(await keys(store, { where: { gone: null } }), 'c');
    assert.equal(await keys(store, { where: { toString: 'x' } }), '');
    assert.equal(await keys(store, { prefix: 'b', where: { color: 'red', size: 1 } }), 'b/2');
  });

  test('pages through a collection', async (store) => {
    for (let n = 0; n < 7; n += 1) await put(store, at(`k${n}`), { even: n % 2 === 0 });
    const query = { tenant: 'tenant', owner: 'ann', collection: 'facts', prefix: 'k', where: { even: true }, limit: 2 };
    const first = await store.query(query);
    assert.deepEqual(
      first.records.map(({ key }) => key),
      ['k0', 'k2'],
    );
    const second = await store.query({ ...query, cursor: first.cursor ?? assert.fail('no second page') });
    assert.deepEqual(
      second.records.map(({ key }) => key),
      ['k4', 'k6'],
    );
    assert.equal(second.cursor, undefined);
  });
}
