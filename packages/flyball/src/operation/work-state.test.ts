import { expect, it } from 'vitest';
import type { RunRecord } from '../ports/engine.js';
import { type WorkView, workState } from './work-state.js';

const NOW = 1_000_000;
const owner = { id: 'dead', host: 'here', pid: 7, bootId: 'boot', startTime: '1' };
const run = (id: string, updatedAt: number, renewedAt: number) =>
  ({
    ...{ id, agent: 'desk', version: '1', tenant: 'acme', status: 'running', owner, updatedAt },
    leaseUntil: renewedAt + 15_000,
  }) as unknown as RunRecord;

const ageOf = async (...runs: readonly RunRecord[]) => {
  const engine = {
    workers: async () => [],
    queue: async () => [],
    goneOwners: async () => [],
    list: async () => ({ runs }),
  } as unknown as WorkView;
  const { queue } = await workState(engine, { now: NOW, isGone: () => true });
  return queue.map(({ runs: count, since }) => [count, NOW - since]);
};

it('runs of a process that is gone wait since its last sign of life [R19-LEFT-SINCE]', async () => {
  expect(await ageOf(run('wrote last', NOW - 2_000, NOW - 4_000))).toEqual([[1, 2_000]]);
  expect(await ageOf(run('renewed last', NOW - 60_000, NOW - 4_000))).toEqual([[1, 4_000]]);
  expect(await ageOf(run('a', NOW - 60_000, NOW - 1_000), run('b', NOW - 60_000, NOW - 3_000))).toEqual([[2, 3_000]]);
  expect(await ageOf(run('long lease', NOW - 60_000, NOW + 600_000))).toEqual([[1, 0]]);
});
