import { describe, expect, it } from 'vitest';
import { memoryStore } from '../adapters/engine-memory/memory-store.js';
import { RequestShelf } from './request-shelf.js';
import type { PersonRequest, RequestStatus } from './requests.js';

const request = (status: RequestStatus): PersonRequest => ({
  id: '1~r1:0:#0!gate',
  run: 'r1',
  agent: 'a',
  tenant: 'default',
  kind: 'approval',
  effect: '#0!gate',
  name: 'approve:#0',
  token: 'r1:0:#0!gate',
  about: 'pay',
  request: null,
  scopes: [],
  notBy: [],
  askedAt: 1,
  status,
});

const place = { tenant: 'default', owner: 'people' };
const clock = { now: () => 5 };

describe('the records of an inbox', () => {
  it('never open again once they are decided, however late another process writes what it has read', async () => {
    const store = memoryStore();
    const [quick, slow] = [new RequestShelf(store, place, clock), new RequestShelf(store, place, clock)];
    await quick.put('r1', [request('decided')]);
    await slow.put('r1', [request('open')]);
    expect(await slow.get('1~r1:0:#0!gate')).toMatchObject({ status: 'decided' });
  });

  it('open again when a run goes on that a bound had closed', async () => {
    const shelf = new RequestShelf(memoryStore(), place, clock);
    for (const status of ['open', 'withdrawn', 'open'] as const) {
      await shelf.put('r1', [request(status)]);
      expect(await shelf.get('1~r1:0:#0!gate')).toMatchObject({ status });
    }
  });

  it('are written by several processes at once without a conflict', async () => {
    const store = memoryStore();
    const shelves = Array.from({ length: 4 }, () => new RequestShelf(store, place, clock));
    await Promise.all(shelves.map((shelf, n) => shelf.put('r1', [request(n === 0 ? 'decided' : 'open')])));
    expect(await shelves[1]?.get('1~r1:0:#0!gate')).toMatchObject({ status: 'decided' });
    expect((await store.query({ ...place, collection: 'approvals' })).records).toHaveLength(1);
  });
});
