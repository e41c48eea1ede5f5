import { budget, done, memoryEngine, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, RUN, still } from './stage.js';

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
