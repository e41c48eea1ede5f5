import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { memoryStore } from 'flyball';
import { sqliteEngine } from 'flyball/adapters/engine-sqlite';
import { type VirtualClock, virtualClock } from 'flyball/testing';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Store } from '../../packages/flyball/src/ports/store.js';
import type { Admission, Spending, Standing } from '../../packages/server/src/access/spending.js';
import { openSpending } from '../../packages/server/src/access/stored-spending.js';

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
  wantedUsd: 1,
  tenantLimit: 2.5,
  payers: [],
  ...more,
});
const today = () => spending.today({ tenant: 'acme' });
const named = (runId: string, tenant = 'acme') => ({ runId, tenant });
const ended = (spentUsd: number) => async (): Promise<Standing> => ({ spentUsd });
const going = (spentUsd: number, budgetUsd: number) => async (): Promise<Standing> => ({ spentUsd, budgetUsd });
const settle = (runId: string, spentUsd: number, tenant?: string) =>
  spending.settle(named(runId, tenant), ended(spentUsd));

describe('what runs may cost in a day [R6-ACCESS-COST]', () => {
  it('is taken for a run when it starts and given back as far as it was not spent', async () => {
    expect(await spending.admit(run('r1'))).toEqual({ costUsd: 1 });
    expect(await today()).toEqual({ limitUsd: 2.5, spentUsd: 0, reservedUsd: 1 });
    await settle('r1', 0.25);
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
    await settle('r1', 0);
    expect(await spending.admit(run('r4'))).toEqual({ costUsd: 1 });
  });

  it('says to come back after midnight once it is spent, and is whole again then', async () => {
    await clock.advance(22 * 3_600_000);
    await spending.admit(run('r1', { wantedUsd: 2.5 }));
    await settle('r1', 2.5);
    await expect(spending.admit(run('r2'))).rejects.toMatchObject({ headers: { 'retry-after': '7200' } });
    await clock.advance(2 * 3_600_000);
    expect(await spending.admit(run('r2'))).toEqual({ costUsd: 1 });
    expect(await today()).toEqual({ limitUsd: 2.5, spentUsd: 0, reservedUsd: 1 });
  });

  it('is counted in the day of the start, also for a run that ends on another', async () => {
    await spending.admit(run('r1'));
    await clock.advance(86_400_000);
    await spending.admit(run('r2'));
    await settle('r1', 0.75);
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 1 });
  });

  it('is the same asked twice and settled twice', async () => {
    await spending.admit(run('r1', { wantedUsd: 2 }));
    expect(await spending.admit(run('r1', { wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    expect((await today()).reservedUsd).toBe(2);
    await settle('r1', 0.5);
    await settle('r1', 0.5);
    expect(await today()).toMatchObject({ spentUsd: 0.5, reservedUsd: 0 });
    await settle('never-admitted', 9);
    expect(await today()).toMatchObject({ spentUsd: 0.5 });
  });

  it('is counted again for a run that goes on after it was settled, without what it had cost before', async () => {
    await spending.admit(run('r1'));
    await settle('r1', 1);
    expect(await spending.admit(run('r1', { wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    expect(await today()).toMatchObject({ spentUsd: 1, reservedUsd: 1 });
    await settle('r1', 1.75);
    expect(await today()).toMatchObject({ spentUsd: 1.75, reservedUsd: 0 });
  });

  it('limits each key and its tenant, whichever is tighter', async () => {
    const mine = { payers: [{ id: 'key:mine', limitUsd: 0.75 }] };
    expect(await spending.admit(run('r1', mine))).toEqual({ costUsd: 0.75 });
    await expect(spending.admit(run('r2', mine))).rejects.toThrow('this credential');
    expect(await spending.admit(run('r3', { wantedUsd: 9 }))).toEqual({ costUsd: 1.75 });
    await expect(spending.admit(run('r4'))).rejects.toThrow('this tenant');
    expect(await spending.today({ tenant: 'acme', principal: 'key:mine' })).toEqual({
      limitUsd: 0.75,
      spentUsd: 0,
      reservedUsd: 0.75,
    });
    await settle('r1', 0.25);
    expect(await spending.today({ tenant: 'acme', principal: 'key:mine' })).toMatchObject({ spentUsd: 0.25 });
  });

  it('of one tenant is nothing to another, also for a run of the same name', async () => {
    await spending.admit(run('r1', { wantedUsd: 2.5 }));
    expect(await spending.admit(run('r1', { tenant: 'other', wantedUsd: 2 }))).toEqual({ costUsd: 2 });
    await settle('r1', 1, 'other');
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 2.5 });
  });

  it('is unlimited where nobody set a limit', async () => {
    const free = { tenantLimit: undefined, wantedUsd: Number.POSITIVE_INFINITY };
    expect(await spending.admit(run('r1', free))).toEqual({ costUsd: Number.POSITIVE_INFINITY });
    await settle('r1', 3);
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

  it('is counted for what a run spends after it was settled, for whoever was granted it [R8-TRIAL3-A3]', async () => {
    const mine = { payers: [{ id: 'key:mine', limitUsd: 2 }] };
    await spending.admit(run('r1', mine));
    await settle('r1', 0.5);
    await settle('r1', 0.75); // it went on where no server saw it
    await settle('r1', 0.75);
    expect(await today()).toMatchObject({ spentUsd: 0.75, reservedUsd: 0 });
    expect(await spending.today({ tenant: 'acme', principal: 'key:mine' })).toMatchObject({ spentUsd: 0.75 });
  });

  it('is never passed and comes out even, whatever order runs start, spend, end, go on, repeat and crash in [R8-TRIAL3-A3]', async () => {
    const step = fc.record({
      kind: fc.constantFrom('start', 'spend', 'end', 'raise', 'raise in vain', 'raise while it is settled'),
      crashes: fc.boolean(),
      id: fc.integer({ min: 0, max: 4 }),
      usd: fc.integer({ min: 0, max: 120 }).map((cents) => cents / 100),
      after: fc.integer({ min: 0, max: 8 }),
    });
    const property = fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      const base = memoryStore();
      const runs = new Map<string, { budgetUsd: number; spentUsd: number; isGoing: boolean }>();
      const open = openSpending(base, clock);
      const look = (runId: string) => async (): Promise<Standing> => {
        const { isGoing, ...standing } = runs.get(runId) ?? { spentUsd: 0, isGoing: false };
        return isGoing ? standing : { spentUsd: standing.spentUsd };
      };
      const raised = async (using: Spending, runId: string, { usd, fails }: { usd: number; fails: boolean }) => {
        const known = runs.get(runId);
        if (known === undefined) return;
        await using.raise(run(runId, { wantedUsd: known.budgetUsd + usd }), look(runId), async (budgetUsd) => {
          if (fails) throw new Error('the run cannot go on');
          Object.assign(known, { budgetUsd, isGoing: true });
        });
      };
      const play = async (using: Spending, { kind, id, usd }: { kind: string; id: number; usd: number }) => {
        const runId = `r${id}`;
        const known = runs.get(runId);
        if (kind === 'start' && known === undefined) {
          const { costUsd } = await using.admit(run(runId, { wantedUsd: 1 + usd }));
          runs.set(runId, { budgetUsd: costUsd, spentUsd: 0, isGoing: true });
        }
        if (kind === 'spend' && known?.isGoing) known.spentUsd = Math.min(known.budgetUsd, known.spentUsd + usd);
        if (kind === 'end' && known !== undefined) {
          known.isGoing = false;
          await using.settle(named(runId), look(runId));
        }
        if (kind === 'raise' || kind === 'raise in vain')
          await raised(using, runId, { usd, fails: kind.endsWith('vain') });
        if (kind === 'raise while it is settled' && known !== undefined) {
          known.isGoing = false;
          const both = [open.settle(named(runId), look(runId)), raised(using, runId, { usd, fails: false })];
          for (const each of await Promise.allSettled(both)) if (each.status === 'rejected') throw each.reason;
        }
      };
      for (const { crashes, after, ...what } of steps) {
        // a crash: one of the writes in between is never made, and the same is asked of another server
        await play(crashes ? openSpending(dying(base, after), clock) : open, what).catch((error: unknown) =>
          expect(String(error)).toMatch(/cost limit|the process died|cannot go on/),
        );
        const { spentUsd, reservedUsd } = await open.today({ tenant: 'acme' });
        expect(spentUsd + reservedUsd).toBeLessThanOrEqual(2.5 + 1e-9);
        // whatever is told, no run may spend what is not counted
        const possible = [...runs.values()].map((each) => (each.isGoing ? each.budgetUsd : each.spentUsd));
        expect(possible.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2.5 + 1e-6);
      }
      await clock.advance(60_000); // what a process held that died
      for (const id of [0, 1, 2, 3, 4]) {
        await play(open, { kind: 'end', id, usd: 0 });
        await open.settle(named(`r${id}`), look(`r${id}`)); // one that was admitted and never started
      }
      const { spentUsd, reservedUsd } = await open.today({ tenant: 'acme' });
      expect(reservedUsd).toBe(0);
      expect(spentUsd).toBeCloseTo(
        [...runs.values()].reduce((sum, each) => sum + each.spentUsd, 0),
        6,
      );
    });
    await fc.assert(property, { numRuns: 150 });
  });
});

describe('what a run may cost that goes on [R8-TRIAL3-A3]', () => {
  const costOf = async (usd: number) => usd;

  it('is asked for beyond what it has, and what it has stays where that is refused', async () => {
    await spending.admit(run('r1'));
    const work = vi.fn(costOf);
    const raise = (wantedUsd: number, more: Partial<Admission> = {}) =>
      spending.raise(run('r1', { wantedUsd, ...more }), going(0.5, 1), work);
    expect(await raise(1)).toBe(1);
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 1 });
    await spending.admit(run('r2', { wantedUsd: 1.5 }));
    work.mockClear();
    await expect(raise(2)).rejects.toMatchObject({ code: 'COST_LIMITED' });
    await expect(raise(2, { payers: [{ id: 'key:poor', limitUsd: 0 }] })).rejects.toMatchObject({
      code: 'COST_LIMITED',
    });
    expect(work).not.toHaveBeenCalled();
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 2.5 });
    await settle('r1', 1);
    expect(await today()).toMatchObject({ spentUsd: 1, reservedUsd: 1.5 });
  });

  it('is counted for each who granted it, in the order of the grants', async () => {
    await spending.admit(run('r1', { payers: [{ id: 'key:a', limitUsd: 1 }] }));
    await spending.raise(run('r1', { payers: [{ id: 'key:b', limitUsd: 1 }], wantedUsd: 1.5 }), going(1, 1.5), costOf);
    const of = (principal: string) => spending.today({ tenant: 'acme', principal });
    expect([await of('key:a'), await of('key:b')]).toMatchObject([{ reservedUsd: 1 }, { reservedUsd: 0.5 }]);
    await settle('r1', 1.25);
    expect([await of('key:a'), await of('key:b')]).toMatchObject([
      { spentUsd: 1, reservedUsd: 0 },
      { spentUsd: 0.25, reservedUsd: 0 },
    ]);
  });

  it('is given back where the run could not go on, whether it has ended or waits', async () => {
    const fails = () => Promise.reject(new Error('it cannot go on'));
    await spending.admit(run('r1'));
    await expect(spending.raise(run('r1', { wantedUsd: 2 }), going(0.5, 1), fails)).rejects.toThrow('cannot go on');
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 1 });
    await settle('r1', 0.5);
    await expect(spending.raise(run('r1', { wantedUsd: 2 }), ended(0.5), fails)).rejects.toThrow('cannot go on');
    await expect(spending.raise(run('unknown', { wantedUsd: 2 }), going(0, 1), fails)).rejects.toThrow();
    expect(await today()).toMatchObject({ spentUsd: 0.5, reservedUsd: 0 });
  });

  it('stays reserved for what was spent, also under a budget that was lowered since', async () => {
    await spending.admit(run('r1'));
    await spending.raise(run('r1', { wantedUsd: 2 }), going(1.5, 2), costOf);
    await spending.raise(run('r1', { wantedUsd: 0.5 }), going(1.5, 0.5), costOf);
    expect(await today()).toMatchObject({ reservedUsd: 2 });
  });

  it.each([...Array(24).keys()])(
    'is free again a minute after the process died in the middle of letting it go on, at write %i [R8-REST-RAISE]',
    async (writes) => {
      await spending.admit(run('r1'));
      const standing = { spentUsd: 0.5, budgetUsd: 1 };
      const died = openSpending(dying(store, writes), clock);
      const goesOn = async (budgetUsd: number) => {
        if (writes % 2 === 0) throw new Error('the process died'); // before the run heard of it
        standing.budgetUsd = budgetUsd;
      };
      await died.raise(run('r1', { wantedUsd: 2 }), async () => standing, goesOn).catch(() => undefined);
      const other = openSpending(store, clock);
      const reconcile = () => other.reconcile(async () => standing);
      await reconcile(); // nobody knows yet that it died
      await clock.advance(60_000);
      await reconcile();
      await reconcile();
      expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: standing.budgetUsd });
      await other.settle(named('r1'), ended(0.5));
      expect(await today()).toMatchObject({ spentUsd: 0.5, reservedUsd: 0 });
    },
  );

  it('is not looked at by others while somebody lets it go on [R8-REST-RAISE]', async () => {
    await spending.admit(run('r1'));
    let budgetUsd = 1;
    const standing = async () => ({ spentUsd: 0.5, budgetUsd });
    const other = openSpending(store, clock);
    await spending.raise(run('r1', { wantedUsd: 2 }), standing, async (granted) => {
      await other.reconcile(standing);
      expect(await today()).toMatchObject({ reservedUsd: 2 });
      budgetUsd = granted;
    });
    const looks = vi.fn(standing);
    await clock.advance(120_000);
    await other.reconcile(looks);
    expect(looks).not.toHaveBeenCalled(); // it ended well
    expect(await today()).toMatchObject({ reservedUsd: 2 });
  });

  it('is not given back by who looked before it went on', async () => {
    await spending.admit(run('r1'));
    let isGoing = false;
    const look = async () => (isGoing ? { spentUsd: 0.5, budgetUsd: 1 } : { spentUsd: 0.5 });
    await spending.settle(named('r1'), async () => {
      const found = await look();
      if (!isGoing)
        await spending.raise(run('r1'), look, async () => {
          isGoing = true;
        });
      return found;
    });
    expect(isGoing).toBe(true);
    expect(await today()).toMatchObject({ spentUsd: 0, reservedUsd: 1 });
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

it('another server on the database settles a run whose resume was cut off [R8-REST-RAISE]', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'spending-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'flyball.db');
  const engines = [await sqliteEngine({ path }), await sqliteEngine({ path })] as const;
  onTestFinished(() => Promise.all(engines.map((engine) => engine.close())).then(() => undefined));
  const [one, other] = engines.map((engine) => openSpending(engine.store, clock));
  const standing = { spentUsd: 0.5, budgetUsd: 1 };
  await one?.admit(run('r1'));
  const died = openSpending(dying(engines[0].store, 12), clock);
  const never = () => new Promise<never>((_resolve, reject) => reject(new Error('the process died')));
  await expect(died.raise(run('r1', { wantedUsd: 2 }), async () => standing, never)).rejects.toThrow('died');
  expect(await one?.today({ tenant: 'acme' })).toMatchObject({ reservedUsd: 2 });
  await clock.advance(60_000);
  await other?.reconcile(async () => standing);
  expect(await one?.today({ tenant: 'acme' })).toMatchObject({ reservedUsd: 1 });
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
