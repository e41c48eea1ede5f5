import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { budget, done, memoryEngine, type Run, systemClock } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { patient } from '../patience.js';
import { gate, RUN, Stage, still } from './stage.js';

describe('closing a runtime', () => {
  it('tells whoever waits for a run that the answer will not come from here [R2-CORE-ERRORS]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => done(await run.sleep(1e6)));
    const ended = life.start();
    await turns(20);
    const finished = life.runtime.handle(RUN).finished();
    await life.runtime.close();
    await expect(ended).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
    await expect(finished).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
    expect((await stage.engine.get(RUN))?.status).toBe('pending');
  });

  it.each(['within the drain time', 'after it'])(
    'lets no run begin that was being launched when its claim comes %s [R2-LEASE]',
    async (when) => {
      const inner = memoryEngine();
      const [claiming, claimed] = [gate(), gate()];
      const stage = still({
        ...inner,
        claim: async (runId, by) => {
          claiming.open();
          await claimed.opened;
          return inner.claim(runId, by);
        },
      });
      const made: string[] = [];
      const life = stage.open(async (run: Run) =>
        done(await run.step('act', null, () => made.push('act'), 'idempotent')),
      );
      const launched = life.runtime.start('agent', null, { id: RUN, budget: budget() });
      launched.catch(() => undefined);
      await claiming.opened;
      const closed = life.runtime.close({ drainMs: 1000 });
      if (when === 'after it') {
        await stage.clock.advance(1000);
        await closed;
      }
      claimed.open();
      await closed;
      await turns(30);
      expect(made).toEqual([]);
      expect(life.runtime.loaded()).toBe(0);
      expect((await inner.get(RUN))?.status).toBe('pending'); // somebody else can have it at once
    },
  );

  it('gives back what it was just taking out of the line [R2-LEASE]', async () => {
    const inner = memoryEngine();
    const [taking, taken] = [gate(), gate()];
    const stage = still({
      ...inner,
      claim: async (runId, by) => {
        const claim = await inner.claim(runId, by); // made, and the answer is on its way
        taking.open();
        await taken.opened;
        return claim;
      },
    });
    const agent = async () => done(null);
    const desk = stage.open(agent, { options: { worker: 'elsewhere' } });
    await desk.runtime.start('agent', null, { id: RUN, budget: budget() });
    const life = stage.open(agent, { options: { worker: true } });
    await taking.opened;
    let isClosed = false;
    const closed = life.runtime.close({ drainMs: 1000 }).then(() => {
      isClosed = true;
    });
    await turns(30);
    expect(isClosed).toBe(false); // its process may end as soon as it is
    taken.open();
    await closed;
    const record = await inner.get(RUN);
    expect(record).toMatchObject({ status: 'pending', crashes: 0 });
    expect(record?.owner).toBeUndefined();
  });

  it('leaves what has just ended to be given back by itself [R2-LEASE]', async () => {
    const inner = memoryEngine();
    const rests: string[] = [];
    const [releasing, released] = [gate(), gate()];
    const stage = still({
      ...inner,
      release: async (claim, rest) => {
        rests.push(rest.status);
        releasing.open();
        await released.opened;
        await inner.release(claim, rest);
      },
    });
    const life = stage.open(async () => done(1));
    const ended = life.start();
    await releasing.opened;
    const closed = life.runtime.close({ drainMs: 1000 });
    await turns(30);
    released.open();
    await closed;
    expect(await ended).toMatchObject({ stop: 'done' });
    expect(rests).toEqual(['done']); // and not pending, as if it were to go on elsewhere
  });

  it('sleeps while an effect ends', async () => {
    const stage = new Stage(systemClock(), memoryEngine());
    const started = gate();
    const life = stage.open(async (run: Run) => {
      const body = async () => {
        started.open();
        await pause(500);
      };
      return done(await run.step('act', null, body, 'idempotent'));
    });
    life.start().catch(() => undefined);
    await started.opened;
    const before = performance.eventLoopUtilization();
    await life.runtime.close({ drainMs: patient(60_000) });
    expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.9); // 1: it looked again and again
    expect(await stage.events('complete')).toHaveLength(1);
  });

  it('is not announced any more, also where an announcement was on its way [R10-WORK-ROLLING]', async () => {
    const inner = memoryEngine();
    const [announcing, announced] = [gate(), gate()];
    let isSlow = false;
    const stage = still({
      ...inner,
      announce: async (worker, by) => {
        if (isSlow && Object.keys(worker.agents).length > 0) {
          announcing.open();
          await announced.opened;
        }
        await inner.announce(worker, by);
      },
    });
    const life = stage.open(async () => done(null), { options: { worker: true, leaseMs: 15_000, pollMs: 1000 } });
    await turns(30);
    expect(await inner.workers(stage.clock.now())).toHaveLength(1);
    isSlow = true;
    await stage.clock.advance(6000);
    await announcing.opened;
    const closed = life.runtime.close();
    await turns(30);
    announced.open();
    await closed;
    await turns(30);
    expect(await inner.workers(stage.clock.now())).toEqual([]); // or others would leave its runs to it
  });

  it('keeps the lease of what it lets end [R2-LEASE]', async () => {
    const stage = still();
    const hold = gate();
    const life = stage.open(
      async (run: Run) => {
        const rules = { class: 'undoable', timeoutMs: 1e6, compensate: async () => undefined } as const;
        await run.step('act', null, () => hold.opened.then(() => 1), rules);
        return done(await run.wait({ name: 'go' }));
      },
      { options: { leaseMs: 15_000 } },
    );
    life.start().catch(() => undefined);
    await turns(20);
    const closed = life.runtime.close({ drainMs: 60_000 });
    await stage.clock.advance(25_000);
    expect((await stage.engine.get(RUN))?.leaseUntil ?? 0).toBeGreaterThan(stage.clock.now());
    hold.open();
    await closed;
    expect((await stage.engine.get(RUN))?.status).toBe('pending');
    expect(await stage.events('complete')).toHaveLength(1);
  });

  it('waits for a run that is rolling back', async () => {
    const stage = still();
    const undoing = gate();
    const life = stage.open(async (run: Run) => {
      await run.step('put', null, () => 1, { class: 'undoable', compensate: () => undoing.opened });
      throw new Error('boom');
    });
    const ended = life.start();
    await turns(30);
    const closed = life.runtime.close();
    await turns(10);
    undoing.open();
    await closed;
    expect(await ended).toMatchObject({ stop: 'failed', rollback: { success: true } });
  });
});
