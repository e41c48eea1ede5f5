import { done, type Outcome, type Run } from 'flyball';
import type { VirtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { RUN, type Stage, still } from './stage.js';

const LEASE = { options: { leaseMs: 15_000 } };
const HOUR = 3_600_000;

describe('the time of a life that was killed', () => {
  it.each(['idempotent', 'pure'] as const)(
    'counts, so that a run is bounded in a later one (%s) [F-C6]',
    async (of) => {
      const stage = still();
      const agent = async (run: Run): Promise<Outcome<unknown>> =>
        done(await run.step('long', null, () => new Promise(() => undefined), of));
      const first = stage.open(agent, LEASE);
      void first.start(null, { wallMs: 2_000 });
      await stage.clock.advance(1_500);
      first.die();
      const second = stage.open(agent, LEASE);
      void second.resume();
      await stage.clock.advance(499);
      expect(await stage.events('trip')).toEqual([]);
      await stage.clock.advance(10); // and a moment for the journal
      expect(await stage.events('trip')).toMatchObject([{ bound: 'wallMs', limit: 2_000, spent: 2_000 }]);
    },
  );

  it('counts as of its last sign of life, and no longer than until the next was due [F-C6]', async () => {
    const stage = still();
    const first = stage.open(stuck, LEASE);
    void first.start();
    await stage.clock.advance(12_000); // signs of life at 5 s and at 10 s
    first.vanish();
    await stage.clock.advance(100_000);
    const second = stage.open(stuck, LEASE);
    void second.resume();
    await stage.clock.advance(1);
    expect(await activeAtStarts(stage)).toEqual([0, 15_000]);
  });

  it('is carried in the journal: a third life starts from what the second did [F-C6]', async () => {
    const stage = still();
    for (const [from, ms] of [
      ['start', 1_500],
      ['resume', 700],
      ['resume', 100],
    ] as const) {
      const life = stage.open(stuck, LEASE);
      void (from === 'start' ? life.start() : life.resume());
      await stage.clock.advance(ms);
      life.die();
    }
    expect(await activeAtStarts(stage)).toEqual([0, 1_500, 2_200]);
  });

  it('counts when the life after it is killed before it has written anything [R7-TIME-CHAIN]', async () => {
    const stage = still();
    const first = stage.open(stuck, LEASE);
    void first.start();
    await stage.clock.advance(1_500);
    first.die();
    const now = stage.clock.now();
    const owner = { id: 'short-lived', host: 'test', bootId: 'test', pid: 1, startTime: 'x' };
    await stage.engine.claim(RUN, { owner, now, leaseMs: 15_000, isGone: () => true });
    await stage.clock.advance(100_000);
    const third = stage.open(stuck, LEASE);
    void third.resume();
    await stage.clock.advance(1);
    expect(await activeAtStarts(stage)).toEqual([0, 6_500]); // what the second did until its first sign was due too
  });

  it('counts before what was decided while nobody ran it [F-C6]', async () => {
    const stage = still();
    const first = stage.open(stuck, LEASE);
    void first.start();
    await stage.clock.advance(1_500);
    first.die();
    const second = stage.open(stuck, LEASE);
    await second.runtime.cancel(RUN, { by: 'op' });
    const ended = second.resume();
    await stage.clock.advance(100);
    expect(await ended).toMatchObject({ stop: 'cancelled' });
    const cancel = (await stage.entries()).find(({ event }) => event.type === 'cancel');
    expect(cancel?.activeMs).toBe(1_500);
  });

  it.each([HOUR, -HOUR])('is not made longer by a date that is set by %i ms in it [F-C6]', async (ms) => {
    const stage = still();
    const first = stage.open(stuck, LEASE);
    void first.start();
    await stage.clock.advance(7_000);
    stage.clock.jump(ms);
    await stage.clock.advance(7_000); // signs of life at 5 s and at 10 s
    first.die();
    const second = stage.open(stuck, LEASE);
    void second.resume();
    await stage.clock.advance(1);
    expect(await activeAtStarts(stage)).toEqual([0, 14_000]);
  });

  it('leaves out what the run waited [F-C6]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('before', null, () => 1, 'pure');
      return done(await run.wait({ name: 'never' }));
    };
    const first = stage.open(agent, { options: { leaseMs: 15_000, suspendAfterMs: 1e9 } });
    void first.start();
    await stage.clock.advance(100_000);
    first.die();
    const second = stage.open(agent, LEASE);
    void second.resume();
    await stage.clock.advance(1);
    expect(Math.max(...(await activeAtStarts(stage)))).toBeLessThanOrEqual(5_000);
  });

  it('counts where the run was given back with its work unfinished [F-C6]', async () => {
    const stage = still();
    const first = stage.open(stuck, LEASE);
    void first.start();
    await stage.clock.advance(3_000);
    const closed = first.runtime.close({ drainMs: 1_000 });
    await stage.clock.advance(1_000);
    await closed;
    await stage.clock.advance(60_000);
    const second = stage.open(stuck, LEASE);
    void second.resume();
    await stage.clock.advance(1);
    expect(await activeAtStarts(stage)).toEqual([0, 4_000]);
  });

  it('is not counted twice when the next generation begins [F-C6]', async () => {
    const stage = still();
    const agent = async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
      if (input === 'second') return done('end');
      await run.step('long', null, () => new Promise((resolve) => stage.clock.after(1_000, () => resolve(1))), 'pure');
      return run.continueWith('second');
    };
    const first = stage.open(agent, LEASE);
    void first.start();
    await stage.clock.advance(500);
    first.die();
    const second = stage.open(agent, LEASE);
    const ended = second.resume();
    await stage.clock.advance(2_000);
    expect(await ended).toMatchObject({ stop: 'done', usage: { wallMs: 1_500 } });
  });
});

const stuck = async (run: Run): Promise<Outcome<unknown>> =>
  done(await run.step('long', null, () => new Promise(() => undefined), { class: 'idempotent', timeoutMs: 1e9 }));

async function activeAtStarts(stage: Stage<VirtualClock>): Promise<readonly number[]> {
  return (await stage.entries()).flatMap(({ event, activeMs }) => (event.type === 'attempt-start' ? [activeMs] : []));
}
