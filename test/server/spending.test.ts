import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { memoryStore } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type VirtualClock, virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Store } from '../../src/ports/store.js';
import type { Admission, Spending } from '../../src/server/access/spending.js';
import { openSpending } from '../../src/server/access/stored-spending.js';

let clock: VirtualClock;
let store: Store;
let spending: Spending;
beforeEach(() => {
  clock = virtualClock();
  store = memoryStore();
  spending = openSpending(store, clock);
});

const run = (runId: string, more: Partial<Admission> = {}): Admission => ({
  runId,
  tenant: 'acme',
  principal: 'key:abcdefgh',
  wantedUsd: 1,
  tenantLimit: 2.5,
  principalLimit: undefined,
  ...more,
});
const today = () => spending.today({ tenant: 'acme' });

describe('what runs may cost in a day [R6-ACCESS-COST]', () => {
  it('is taken for a run when it starts and given back as far as it was not spent', async () => {
    expect(await spending.admit(run('r1'))).toEqual({ costUsd: 1 });
    expect(await today()).toEqual({ limitUsd: 2.5, spentUsd: 0, reservedUsd: 1 });
    await spending.settle('r1', 'acme', 0.25);
    expect(await today()).toEqual({ limitUsd: 2.5, spentUsd: 0.25, reservedUsd: 0 });
  });

  it('counts what open runs may still spend: the last gets what is left, and one more is refused', async () => {
    await spending.admit(run('r1'));
    await spending.admit(run('r2'));
    expect(await spending.admit(run('r3'))).toEqual({ costUsd: 0.5 });
    await expect(spending.admit(run('r4'))).rejects.toMatchObject({
      status: 429,
      code: 'COST_LIMITED',
      retryable: true,
      headers: { 'retry-after': '60' },
    });
    await spending.settle('r1', 'acme', 0);
    expect(await spending.admit(run('r4'))).toEqual({ costUsd: 1 });
  });

  it('says to come back after midnight once it is spent, and is whole again then', async () => {
    await clock.advance(22 * 3_600_000);
    await spending.admit(run('r1', { wantedUsd: 2.5 }));
    await spending.settle('r1', 'acme', 2.5);
    await expect(spending.admit(run('r2'))).rejects.toMatchObject({ headers: { 'retry-after': '7200' } });
    await clock.advance(2 * 3_600_000);
    expect(await spending.admit(run('r2'))).toEqual({ costUsd: 1 });
    expect(await today()).toEqual({ limitUsd: 2.5, spentUsd: 0, reservedUsd: 1 });
  });

  it('is counted in the day of the start, also for a run that ends on another', async () => {
    await spending.admit(run('r1'));
    await clock.advance(86_400_000);
    await spending.admit(run('r2'));
    await spending.settle('r1', 'acme', 0.75);
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 1 });
  });

  it('is the same asked twice and settled twice', async () => {
    await spending.admit(run('r1', { wantedUsd: 2 }));
    expect(await spending.admit(run('r1', { wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    expect((await today()).reservedUsd).toBe(2);
    await spending.settle('r1', 'acme', 0.5);
    await spending.settle('r1', 'acme', 0.5);
    await spending.settle('r1', 'acme', 2);
    expect(await today()).toMatchObject({ spentUsd: 0.5, reservedUsd: 0 });
    await spending.settle('never-admitted', 'acme', 9);
    expect(await today()).toMatchObject({ spentUsd: 0.5 });
  });

  it('is counted again for a run that goes on after it was settled, without what it had cost before', async () => {
    await spending.admit(run('r1'));
    await spending.settle('r1', 'acme', 1);
    expect(await spending.admit(run('r1', { wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    expect(await today()).toMatchObject({ spentUsd: 1, reservedUsd: 1 });
    await spending.settle('r1', 'acme', 1.75);
    expect(await today()).toMatchObject({ spentUsd: 1.75, reservedUsd: 0 });
  });

  it('limits each key and its tenant, whichever is tighter', async () => {
    const mine = { principal: 'key:mine', principalLimit: 0.75 };
    expect(await spending.admit(run('r1', mine))).toEqual({ costUsd: 0.75 });
    await expect(spending.admit(run('r2', mine))).rejects.toThrow('this credential');
    expect(await spending.admit(run('r3', { wantedUsd: 9 }))).toEqual({ costUsd: 1.75 });
    await expect(spending.admit(run('r4'))).rejects.toThrow('this tenant');
    expect(await spending.today({ tenant: 'acme', principal: 'key:mine' })).toEqual({
      limitUsd: 0.75,
      spentUsd: 0,
      reservedUsd: 0.75,
    });
    await spending.settle('r1', 'acme', 0.25);
    expect(await spending.today({ tenant: 'acme', principal: 'key:mine' })).toMatchObject({ spentUsd: 0.25 });
  });

  it('of one tenant is nothing to another, also for a run of the same name', async () => {
    await spending.admit(run('r1', { wantedUsd: 2.5 }));
    expect(await spending.admit(run('r1', { tenant: 'other', wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    await spending.settle('r1', 'other', 1);
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 2.5 });
  });

  it('is unlimited where nobody set a limit', async () => {
    const free = { tenantLimit: undefined, wantedUsd: Number.POSITIVE_INFINITY };
    expect(await spending.admit(run('r1', free))).toEqual({ costUsd: Number.POSITIVE_INFINITY });
    await spending.settle('r1', 'acme', 3);
    expect(await today()).toEqual({ limitUsd: undefined, spentUsd: 0, reservedUsd: 0 });
  });

  it('writes nothing for a run that is refused, so that it can ask again on another day', async () => {
    await spending.admit(run('r1', { wantedUsd: 2.5 }));
    await expect(spending.admit(run('r2'))).rejects.toThrow();
    expect(
      await store.get({ tenant: '~server', owner: 'acme', collection: 'spending-runs', key: 'r2' }),
    ).toBeUndefined();
    await clock.advance(86_400_000);
    expect(await spending.admit(run('r2'))).toEqual({ costUsd: 1 });
  });

  it('is never passed and comes out even, whatever order runs start, end, repeat and crash in', async () => {
    const step = fc.record({
      kind: fc.constantFrom('admit', 'settle', 'admit and crash', 'settle and crash'),
      id: fc.integer({ min: 0, max: 5 }),
      usd: fc.integer({ min: 0, max: 120 }).map((cents) => cents / 100),
      after: fc.integer({ min: 0, max: 8 }),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const base = memoryStore();
      const granted = new Map<string, number>();
      const open = openSpending(base, clock);
      for (const { kind, id, usd, after } of steps) {
        // a crash: one of the writes in between is never made, and the same is asked of another server
        const using = kind.endsWith('crash') ? openSpending(dying(base, after), clock) : open;
        const runId = `r${id}`;
        try {
          if (kind.startsWith('settle')) await using.settle(runId, 'acme', Math.min(usd, granted.get(runId) ?? 0));
          else granted.set(runId, (await using.admit(run(runId, { wantedUsd: 1 + usd }))).costUsd);
        } catch (error) {
          expect(String(error)).toMatch(/may cost today|the process died/);
        }
        const { spentUsd, reservedUsd } = await open.today({ tenant: 'acme' });
        expect(spentUsd + reservedUsd).toBeLessThanOrEqual(2.5 + 1e-9);
      }
      for (const [runId, most] of granted) await open.settle(runId, 'acme', most);
      for (const id of [0, 1, 2, 3, 4, 5]) await open.settle(`r${id}`, 'acme', 0);
      const { spentUsd, reservedUsd } = await open.today({ tenant: 'acme' });
      expect(reservedUsd).toBe(0);
      expect(spentUsd).toBeLessThanOrEqual(2.5 + 1e-9);
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

it('two servers on one database together never pass a limit, and remember it over a restart [R6-ACCESS-COST]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spending-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'flyball.db');
  const engines = [await sqliteEngine({ path }), await sqliteEngine({ path })];
  const servers = engines.map((engine) => openSpending(engine.store, clock));
  const asked = Array.from({ length: 24 }, (_, index) =>
    servers[index % 2]?.admit(run(`r${index}`, { wantedUsd: 0.4, tenantLimit: 3 })),
  );
  const answers = await Promise.allSettled(asked);
  const granted = answers.flatMap((each) => (each.status === 'fulfilled' ? (each.value?.costUsd ?? 0) : []));
  for (const each of answers)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'COST_LIMITED' });
  expect(granted.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(3, 9);
  expect(granted).toHaveLength(8);
  for (const engine of engines) await engine.close();

  const later = await sqliteEngine({ path });
  onTestFinished(() => later.close());
  const restarted = openSpending(later.store, clock);
  expect(await restarted.today({ tenant: 'acme' })).toEqual({ limitUsd: 3, spentUsd: 0, reservedUsd: 3 });
  await expect(restarted.admit(run('r99', { tenantLimit: 3 }))).rejects.toMatchObject({ code: 'COST_LIMITED' });
});

/** A store whose process dies at one of its writes: that one and all after it are never made. */
function dying(base: Store, afterWrites: number): Store {
  let left = afterWrites;
  const alive = <A extends unknown[], T>(write: (...args: A) => Promise<T>) => {
    return async (...args: A): Promise<T> => {
      if (left-- <= 0) throw new Error('the process died');
      return write(...args);
    };
  };
  return { ...base, propose: alive(base.propose), commit: alive(base.commit), drop: alive(base.drop) };
}
