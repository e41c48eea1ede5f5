import { budget, done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, still } from './stage.js';

const waiter = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));

describe('a run that only waits', () => {
  it('is unloaded after a while; its handle sees suspended, and no timer is left behind [R2-SUSPEND]', async () => {
    const stage = still();
    const life = stage.open(
      async (run: Run) => {
        const [first] = await run.all([(on) => on.wait({ name: 'go' }), (on) => on.wait({ name: 'stop' })], 2);
        return done(first);
      },
      { options: { suspendAfterMs: 50 } },
    );
    const ended = life.start();
    await stage.clock.advance(49);
    expect(life.runtime.loaded()).toBe(1);
    await stage.clock.advance(1);
    await turns();
    expect(await ended).toMatchObject({ stop: 'suspended', waiting: [{ name: 'go' }, { name: 'stop' }] });
    expect(life.runtime.loaded()).toBe(0);
    expect(stage.clock.pending()).toEqual([]);
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'suspended', waiting: ['go', 'stop'] });
    expect((await life.runtime.get(RUN)).owner).toBeUndefined();
  });

  it('is answered as suspended by any other process, with what it waits for [R2-SUSPEND]', async () => {
    const stage = moving();
    const life = stage.open(waiter);
    await life.start();
    const other = stage.open(waiter);
    expect(await other.runtime.handle(RUN).outcome()).toMatchObject({
      stop: 'suspended',
      waiting: [{ name: 'go', kind: 'signal' }],
    });
  });

  it('is woken by the worker and ends for whoever waits for its end [R2-SUSPEND]', async () => {
    const stage = moving();
    let begun = 0;
    const life = stage.open(
      async (run: Run) => {
        begun++;
        return done([await run.wait({ name: 'a' }), await run.wait({ name: 'b' })]);
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'suspended' });
    const finished = handle.finished();
    await life.runtime.signal(RUN, 'a', 1);
    await turns(200);
    expect(life.runtime.loaded()).toBe(0);
    await life.runtime.signal(RUN, 'b', 2);
    expect(await finished).toMatchObject({ stop: 'done', value: [1, 2] });
    expect(begun).toBe(3);
  });

  it('is not unloaded while another of its effects is in flight', async () => {
    const stage = still();
    const hold = gate<string>();
    const life = stage.open(
      async (run: Run) => {
        await run.all([(on) => on.wait({ name: 'go' }), (on) => on.step('slow', null, () => hold.opened, 'pure')], 2);
        return done(null);
      },
      { options: { suspendAfterMs: 50 } },
    );
    void life.start();
    await stage.clock.advance(1000);
    expect(life.runtime.loaded()).toBe(1);
    hold.open('done');
    await stage.clock.advance(100);
    expect(life.runtime.loaded()).toBe(0);
  });

  it('is unloaded at once under pressure [R2-SUSPEND]', async () => {
    const stage = still();
    const life = stage.open(waiter, { options: { suspendAfterMs: 1e9, maxLoaded: 1 } });
    const first = await life.runtime.start('agent', null, { id: 'first', budget: budget() });
    await turns(10);
    expect(life.runtime.loaded()).toBe(1);
    await life.runtime.start('agent', null, { id: 'second', budget: budget() });
    await turns(10);
    expect(life.runtime.loaded()).toBe(1);
    expect(await first.outcome()).toMatchObject({ stop: 'suspended' });
  });

  it('never resolves what the unloaded code awaits: the next life does [R2-SUSPEND]', async () => {
    const stage = moving();
    const resolved: number[] = [];
    let life = 0;
    const runtime = stage.open(async (run: Run) => {
      const mine = ++life;
      await run.wait({ name: 'go' });
      resolved.push(mine);
      return done(null);
    });
    await runtime.start();
    await runtime.runtime.signal(RUN, 'go');
    await runtime.resume();
    await turns(20);
    expect(resolved).toEqual([2]);
  });

  it('can be suspended many times', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      let sum = 0;
      for (let n = 0; n < 30; n++) sum += (await run.wait<number>({ name: 'add' })) as number;
      return done(sum);
    };
    const life = stage.open(agent, { options: { suspendAfterMs: 1 } });
    await life.start();
    for (let n = 0; n < 30; n++) {
      await life.runtime.signal(RUN, 'add', n);
      await life.resume();
    }
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'done', value: 435 });
  });
});

describe('a runtime that is closed', () => {
  it('lets the running effect end and gives the run back for another process [R2-SUSPEND]', async () => {
    const stage = still();
    const hold = gate<string>();
    let made = 0;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await run.step(
        'first',
        null,
        () => {
          made++;
          return hold.opened;
        },
        'idempotent',
      );
      return done([first, await run.step('second', null, () => ++made, 'idempotent')]);
    };
    const life = stage.open(agent);
    void life.start();
    await turns(10);
    const closed = life.runtime.close();
    await turns(10);
    hold.open('kept');
    await closed;
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending', crashes: 0 });
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'done', value: ['kept', 2] });
    expect(made).toBe(2);
    await expect(life.runtime.start('agent', null, { budget: budget() })).rejects.toMatchObject({
      code: 'RUN_UNLOADED',
    });
  });
});
