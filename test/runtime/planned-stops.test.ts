import { budget, done, memoryEngine, type Outcome, type Run } from 'flyball';
import { turns, type VirtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, type Stage, still } from './stage.js';

describe('a planned stop', () => {
  const slow = (ms: number, world: string[], clock: { after(ms: number, then: () => void): unknown }) => {
    return async (run: Run): Promise<Outcome<unknown>> => {
      const body = () => new Promise<void>((resolve) => clock.after(ms, resolve)).then(() => void world.push('done'));
      await run.step('slow', 1, body, { class: 'undoable', compensate: async () => undefined });
      return done('fine');
    };
  };

  it('lets a long step end when the drain allows it, and nobody is asked about it [F-O3]', async () => {
    const stage = moving();
    const world: string[] = [];
    const agent = slow(14_000, world, stage.clock);
    const life = stage.open(agent, { options: { drainMs: 20_000 } });
    void life.start();
    await turns(10);
    await life.runtime.close();
    expect(world).toEqual(['done']);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'done', crashes: 0 });
    expect(await stage.events('doubt')).toEqual([]);
  });

  it('gives a step that takes longer back at once, as no crash; who goes on asks about it without waiting [F-O3]', async () => {
    const stage = still();
    const world: string[] = [];
    const agent = slow(60_000, world, stage.clock);
    const life = stage.open(agent, { options: { drainMs: 10_000 } });
    void life.start();
    await turns(20);
    const closed = life.runtime.close();
    await stage.clock.advance(10_000);
    await closed;
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending', crashes: 0 });
    expect(await stage.engine.get(RUN)).not.toHaveProperty('owner');
    life.die();
    const next = stage.open(agent).resume();
    await stage.clock.advance(100);
    expect(await next).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(await stage.events('attempt-start')).toMatchObject([{ why: 'start' }, { why: 'resume' }]);
  });

  it('may come as often as it likes: a run is not stalled by restarts [F-O3]', async () => {
    const stage = still();
    const agent = async (run: Run) => done(await run.step('long', 1, () => new Promise(() => undefined), 'idempotent'));
    const first = stage.open(agent, { options: { drainMs: 10 } });
    void first.start();
    for (let restart = 0, life = first; restart < 13; restart++) {
      await turns(20);
      const closed = life.runtime.close();
      await stage.clock.advance(10);
      await closed;
      life.die();
      life = stage.open(agent, { options: { drainMs: 10, worker: true } });
    }
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending', crashes: 0 });
  });
});

describe('a run that takes its process down', () => {
  it('does not get the others stalled: suspects are tried one after the other [F-C11]', async () => {
    const stage = moving();
    const poisoned = gate();
    let isUp = false;
    const agent = async (run: Run, name: unknown): Promise<Outcome<unknown>> => {
      if (name === 'poison') {
        isUp = true;
        return done(await run.step('poison', 1, () => new Promise(() => undefined), 'pure'));
      }
      return done(await run.step('report', 1, () => poisoned.opened.then(() => 'fine'), 'idempotent'));
    };
    const options = { worker: true, pollMs: 10, maxResumes: 10 };
    const start = stage.open(agent, { options });
    for (const name of ['poison', 'innocent']) await start.runtime.start('agent', name, { id: name, budget: budget() });
    await turns(20);
    start.die();
    for (let lives = 0; lives < 40; lives++) {
      isUp = false;
      const life = stage.open(agent, { options });
      await turns(60);
      // a process without the poison in it lives long enough for the innocent run to end
      if (!isUp && (await stage.engine.get('innocent'))?.status === 'running') {
        poisoned.open();
        await turns(60);
      }
      life.die();
    }
    expect(await stage.engine.get('innocent')).toMatchObject({ status: 'done' });
    expect(await stage.engine.get('poison')).toMatchObject({ status: 'stalled' });
  });
});

describe('an owner that has lost its run', () => {
  it('does not go on to undo it [F-C13]', async () => {
    const inner = memoryEngine();
    let isTaken = false;
    const stage: Stage<VirtualClock> = still({
      ...inner,
      // the commit of the compensation's INTENT takes longer than the lease
      append: async (claim, batch) => {
        await inner.append(claim, batch);
        if (!batch.entries.some(({ body }) => body.includes('!undo'))) return;
        await stage.clock.advance(2000);
        isTaken = true;
      },
      renew: (signs) =>
        isTaken ? Promise.resolve(signs.map(({ claim }) => claim.runId)) : new Promise(() => undefined),
    });
    const undone: string[] = [];
    const agent = (life: string) => async (run: Run) => {
      await run.step('book', 1, () => 1, {
        class: 'undoable',
        compensate: async () => {
          undone.push(life);
          throw new Error('not now');
        },
      });
      await run.wait({ name: 'go' });
      throw new Error('fails');
    };
    const slow = stage.open(agent('first'), {
      options: { leaseMs: 1000, compensationAttempts: 2, suspendAfterMs: 1e9 },
    });
    const ended = slow.start();
    await turns(20);
    await slow.runtime.signal(RUN, 'go');
    await expect(ended).rejects.toMatchObject({ code: 'JOURNAL_CONFLICT' });
    expect(undone).toEqual([]);
  });
});

describe('code that no longer fits its history', () => {
  it('is told what the code asks for now, by name [F-C13]', async () => {
    const stage = moving();
    const agent = (name: string) => async (run: Run) => {
      await run.step(name, 1, () => 1, 'idempotent');
      return done(await run.wait({ name: 'go' }));
    };
    await stage.open(agent('a')).start();
    await expect(stage.open(agent('checked-a')).resume()).rejects.toThrow(/"a".*step "checked-a"/s);
  });
});

describe('a long journal', () => {
  it('is read in pieces, with turns for other runs in between [F-C13]', async () => {
    const inner = memoryEngine();
    const read: number[] = [];
    const stage = moving({
      ...inner,
      read: async (runId, range) => {
        const entries = await inner.read(runId, range);
        read.push(entries.length);
        return entries;
      },
    });
    const agent = async (run: Run) => {
      for (let nth = 0; nth < 2500; nth++) await run.step('count', nth, (value) => value, 'pure');
      return done(await run.wait({ name: 'go' }));
    };
    await stage.open(agent).start();
    const life = stage.open(agent);
    await life.runtime.signal(RUN, 'go', 'gone');
    read.length = 0;
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'gone' });
    expect(read.length).toBeGreaterThan(2);
    expect(Math.max(...read)).toBeLessThanOrEqual(1000);
  });
});
