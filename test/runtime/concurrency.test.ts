import { budget, type Clock, done, type Engine, memoryEngine, type Run, type RuntimeOptions } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { eventsOf, gate, type Stage, still } from './stage.js';

type Still = Stage<Clock & { advance(ms: number): Promise<void>; jump(ms: number): void }>;

const options = { pollMs: 100, leaseMs: 3000, suspendAfterMs: 10 };
const start = { budget: budget({}) };
const IDS = Array.from({ length: 12 }, (_, n) => `r${n}`);

async function pass(stage: Still, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 50) {
    await stage.clock.advance(50);
    await turns(10);
  }
}

async function statuses(stage: Still): Promise<Readonly<Record<string, number>>> {
  const counted: Record<string, number> = {};
  for (const { status } of (await stage.engine.list({})).runs) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

/** How many work at one time, and at most. */
function bench(ms: (stage: Still) => Promise<void>) {
  const seen = { now: 0, most: 0, acts: 0 };
  const work = (stage: Still) => (run: Run) =>
    run.step(
      'work',
      null,
      async () => {
        seen.acts += 1;
        seen.most = Math.max(seen.most, ++seen.now);
        await ms(stage);
        seen.now -= 1;
      },
      'pure',
    );
  return { seen, work };
}

const lasting = (ms: number) => (stage: Still) => new Promise<void>((resolve) => stage.clock.after(ms, resolve));

describe('a worker works on no more runs at one time than it may', () => {
  const worker = { concurrency: 3 };

  it.each([0, 10, 1e6])(
    'of runs that slept here and wake at once, unloaded after %i ms [R19-CONCURRENCY]',
    async (ms) => {
      const stage = still();
      const { seen, work } = bench(lasting(300));
      const agent = async (run: Run) => {
        await run.sleep(2000);
        await work(stage)(run);
        return done('worked');
      };
      const life = stage.open(agent, { options: { ...options, suspendAfterMs: ms, worker } });
      for (const id of IDS) await life.runtime.start('agent', null, { ...start, id });
      await pass(stage, 8000);
      expect(await statuses(stage)).toEqual({ done: IDS.length });
      expect(seen).toEqual({ now: 0, most: 3, acts: IDS.length });
    },
  );

  it('of runs that slept here while somebody set the date back [R19-CONCURRENCY]', async () => {
    const stage = still();
    const { seen, work } = bench(lasting(300));
    const agent = async (run: Run) => {
      await run.sleep(2000);
      await work(stage)(run);
      return done('worked');
    };
    const life = stage.open(agent, { options: { ...options, worker } });
    for (const id of IDS) await life.runtime.start('agent', null, { ...start, id });
    await pass(stage, 1000);
    stage.clock.jump(-3_600_000);
    await pass(stage, 6000);
    expect(await statuses(stage)).toEqual({ done: IDS.length });
    expect(seen).toEqual({ now: 0, most: 3, acts: IDS.length });
  });

  it.each(['start', 'resume', 'wake', 'fork'] as const)(
    'of those that somebody has to %s at once [R19-CONCURRENCY]',
    async (how) => {
      const stage = still();
      const hold = gate();
      const { seen, work } = bench(() => hold.opened);
      const agent = async (run: Run) => {
        if (how === 'resume') await run.wait({ name: 'go' });
        await work(stage)(run);
        return done('worked');
      };
      const desk = stage.open(agent, { options: { ...options, worker: how === 'resume' ? true : 'elsewhere' } });
      const ids = how === 'fork' ? ['parent'] : how === 'start' ? [] : IDS;
      for (const id of ids) await desk.runtime.start('agent', null, { ...start, id });
      await pass(stage, 200);
      for (const id of how === 'resume' ? IDS : []) await desk.runtime.pause(id);
      await pass(stage, 200);
      desk.vanish();
      for (const id of how === 'resume' ? IDS : []) await desk.runtime.signal(id, 'go');
      const slow = { ...options, pollMs: 1e6, worker };
      const { runtime } = stage.open(agent, { options: slow });
      const moves = {
        start: (id: string) => runtime.start('agent', null, { ...start, id }),
        resume: (id: string) => runtime.resume(id),
        wake: (id: string) => runtime.wake(id),
        fork: (id: string) => runtime.fork('parent', { at: 0, id }),
      };
      await Promise.all(IDS.map((id) => moves[how](id)));
      await pass(stage, 500);
      expect(seen).toMatchObject({ now: 3, most: 3 });
      hold.open();
      await pass(stage, 2000);
      expect(seen).toMatchObject({ now: 0, most: 3 });
      expect(seen.acts).toBeGreaterThanOrEqual(IDS.length);
    },
  );

  it('where runs are started while it is just taking others [R19-CONCURRENCY]', async () => {
    const taking = gate();
    const reached = gate();
    const inner = memoryEngine();
    const engine: Engine = {
      ...inner,
      // what a test's engine takes it asks for first
      async due(query) {
        const found = await inner.due(query);
        reached.open();
        await taking.opened;
        return found;
      },
    };
    const stage = still(engine);
    const hold = gate();
    const { seen, work } = bench(() => hold.opened);
    const agent = async (run: Run) => {
      await work(stage)(run);
      return done('worked');
    };
    const desk = stage.open(agent, { options: { ...options, worker: 'elsewhere' } });
    for (const id of IDS) await desk.runtime.start('agent', null, { ...start, id });
    const { runtime } = stage.open(agent, { options: { ...options, worker } });
    await reached.opened;
    const started = [1, 2, 3].map((n) => runtime.start('agent', null, { ...start, id: `new-${n}` }));
    await turns(20);
    taking.open();
    await Promise.all(started);
    await pass(stage, 300);
    expect(seen).toMatchObject({ now: 3, most: 3 });
    hold.open();
    await pass(stage, 2000);
    expect(await statuses(stage)).toEqual({ done: IDS.length + 3 });
    expect(seen.most).toBe(3);
  });
});

describe('a run that was woken and has something to do', () => {
  const tight: Partial<RuntimeOptions> = { ...options, worker: { concurrency: 2 } };

  it.each([0, 1, 10, 1e6])(
    'is not unloaded before it has got anywhere, unloaded after %i ms [R19-WOKEN]',
    async (ms) => {
      const stage = still();
      const agent = async (run: Run) => {
        await run.sleep(2000);
        await run.step(
          'work',
          null,
          () => new Promise<void>((resolve) => stage.clock.after(300, resolve)),
          'idempotent',
        );
        await run.sleep(1000);
        return done('worked');
      };
      const life = stage.open(agent, { options: { ...tight, suspendAfterMs: ms } });
      for (const id of IDS) await life.runtime.start('agent', null, { ...start, id });
      await pass(stage, 10_000);
      expect(await statuses(stage)).toEqual({ done: IDS.length });
      // begun, and woken after each of its two sleeps
      for (const id of IDS)
        expect(eventsOf(await life.runtime.entries(id), 'attempt-start').length).toBeLessThanOrEqual(3);
    },
  );
});
