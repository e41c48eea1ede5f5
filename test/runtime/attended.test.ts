import { budget, type Dispatcher, type Driver, done, type Engine, memoryEngine, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN } from './stage.js';

/** Has runs driven in this process, by whoever attends, one after the other until one does not refuse. */
class Hall implements Dispatcher {
  readonly drivers: Driver[] = [];
  readonly refusals: string[] = [];

  async dispatch(runId: string): Promise<void> {
    setImmediate(() => void this.drive(runId));
  }

  attend(driver: Driver): () => void {
    this.drivers.push(driver);
    return () => void this.drivers.splice(this.drivers.indexOf(driver), 1);
  }

  private async drive(runId: string): Promise<void> {
    for (const driver of this.drivers) {
      try {
        await driver.drive(runId);
        return;
      } catch (error) {
        this.refusals.push((error as Error).message);
      }
    }
  }
}

const OPTIONS = { worker: true, leaseMs: 15_000 };
const quick = async (run: Run): Promise<Outcome<unknown>> =>
  done(await run.step('work', null, () => 'worked', 'idempotent'));

describe('a runtime that a dispatcher calls', () => {
  it('is known to it while it is open, and works on what it is told to [R10-RESTATE-PORT]', async () => {
    const stage = moving();
    const dispatcher = new Hall();
    const { runtime } = stage.open(quick, { dispatcher, options: OPTIONS });
    expect(dispatcher.drivers.map(({ agents }) => agents)).toEqual([['agent']]);
    const handle = await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(await handle.finished()).toMatchObject({ stop: 'done', value: 'worked' });
    const [worker] = await stage.engine.workers(stage.clock.now());
    expect(worker).toMatchObject({ agents: { agent: '1' }, concurrency: 1_000 });
    await runtime.close();
    expect(dispatcher.drivers).toEqual([]);
    expect(await stage.engine.workers(stage.clock.now())).toEqual([]);
  });

  it('is not offered work where it leaves it to others [R10-RESTATE-PORT]', async () => {
    const stage = moving();
    const dispatcher = new Hall();
    for (const worker of ['elsewhere', false] as const) stage.open(quick, { dispatcher, options: { worker } });
    expect(dispatcher.drivers).toEqual([]);
  });

  it('takes no place for a run that it works on already, however often it is called for it [R10-RESTATE-PLACES]', async () => {
    const stage = moving();
    const dispatcher = new Hall();
    const hold = gate<string>();
    const slow = async (run: Run, input: unknown): Promise<Outcome<unknown>> =>
      done(await run.step('work', null, () => (input === 'slow' ? hold.opened : 'quick'), 'idempotent'));
    const { runtime } = stage.open(slow, { dispatcher, options: { ...OPTIONS, worker: { concurrency: 2 } } });
    await runtime.start('agent', 'slow', { id: 'a', budget: budget({}) });
    await turns(60);
    const again = [1, 2, 3].map(() => dispatcher.drivers[0]?.drive('a'));
    await turns(20);
    await runtime.start('agent', 'quick', { id: 'b', budget: budget({}) });
    expect(await runtime.handle('b').finished()).toMatchObject({ stop: 'done', value: 'quick' });
    hold.open('now');
    await Promise.all(again);
    expect(await runtime.handle('a').finished()).toMatchObject({ stop: 'done', value: 'now' });
    await runtime.close();
  });

  it('works on no more runs at once than it may [R10-RESTATE-PORT]', async () => {
    const stage = moving();
    const dispatcher = new Hall();
    const hold = gate<string>();
    let atWork = 0;
    let most = 0;
    const slow = async (run: Run): Promise<Outcome<unknown>> => {
      const work = async () => {
        most = Math.max(most, ++atWork);
        await hold.opened;
        atWork -= 1;
      };
      return done(await run.step('work', null, work, 'idempotent'));
    };
    const { runtime } = stage.open(slow, { dispatcher, options: { ...OPTIONS, worker: { concurrency: 2 } } });
    const ids = ['a', 'b', 'c', 'd', 'e'];
    for (const id of ids) await runtime.start('agent', null, { id, budget: budget({}) });
    await turns(60);
    hold.open('now');
    for (const id of ids) expect(await runtime.handle(id).finished()).toMatchObject({ stop: 'done' });
    expect(most).toBe(2);
  });

  it('gives a run a place of its own that only passes through there [R19-CONCURRENCY]', async () => {
    const [claiming, reached, hold] = [gate(), gate(), gate<string>()];
    const inner = memoryEngine();
    const engine: Engine = {
      ...inner,
      async claim(runId, by) {
        if (runId === 'b') {
          reached.open();
          await claiming.opened;
        }
        return inner.claim(runId, by);
      },
    };
    const stage = moving(engine);
    const told: Driver[] = [];
    const dispatcher: Dispatcher = {
      dispatch: async () => undefined,
      attend(driver) {
        told.push(driver);
        return () => undefined;
      },
    };
    const made: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const work = () => {
        made.push(run.id);
        return hold.opened;
      };
      return done(await run.step('work', null, work, 'idempotent'));
    };
    const { runtime } = stage.open(agent, { dispatcher, options: { ...OPTIONS, worker: { concurrency: 1 } } });
    for (const id of ['a', 'b']) await runtime.start('agent', null, { id, budget: budget({}) });
    const first = told[0]?.drive('a');
    await turns(60);
    const resumed = runtime.resume('b'); // it is only put in line again
    await reached.opened;
    const second = told[0]?.drive('b');
    await turns(20);
    claiming.open();
    await resumed;
    await turns(60);
    expect(made).toEqual(['a']);
    hold.open('worked');
    expect(await first).toEqual({ status: 'done' });
    expect(await second).toEqual({ status: 'done' });
    expect(made).toEqual(['a', 'b']);
  });

  it('leaves a run to one with its version while there is one [R10-RESTATE-VERSIONS]', async () => {
    const stage = moving();
    const dispatcher = new Hall();
    const young = stage.open({ agent: quick, version: '2' }, { dispatcher, options: OPTIONS });
    const old = stage.open({ agent: quick, version: '1' }, { dispatcher, options: OPTIONS });
    await turns(20);
    const handle = await old.runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(await handle.finished()).toMatchObject({ stop: 'done' });
    expect(dispatcher.refusals).toEqual([expect.stringContaining('belongs to version 1')]);
    await old.runtime.close();
    expect(dispatcher.drivers).toHaveLength(1);
    await young.runtime.close();
  });

  const silently = (stage: ReturnType<typeof moving>, agent: (run: Run) => Promise<Outcome<unknown>>) => {
    const drivers: Driver[] = [];
    const attend = (driver: Driver) => {
      drivers.push(driver);
      return () => undefined;
    };
    const { runtime } = stage.open(agent, {
      dispatcher: { dispatch: async () => undefined, attend },
      options: OPTIONS,
    });
    const [driver] = drivers;
    return {
      runtime,
      driver,
      overdue: async () => (await driver?.overdue({ forMs: 1_000, limit: 10 }))?.runs.map(({ id }) => id),
      later: () => new Promise<void>((resolve) => stage.clock.after(2_000, resolve)),
    };
  };

  it('says which runs nobody works on though they have been due for a while [R10-RESTATE-SWEEP]', async () => {
    const { runtime, driver, overdue, later } = silently(moving(), quick);
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(await overdue()).toEqual([]);
    await later();
    expect(await overdue()).toEqual([RUN]);
    expect(await driver?.drive(RUN)).toEqual({ status: 'done' });
    expect(await overdue()).toEqual([]);
  });

  it('says so of a run that was told something, whatever time it waits for [R19-RESTATE-OVERDUE]', async () => {
    const waits = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.wait({ name: 'go', timeoutMs: 3_600_000 }));
    const { runtime, driver, overdue, later } = silently(moving(), waits);
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(await driver?.drive(RUN)).toMatchObject({ status: 'suspended' });
    await later();
    expect(await overdue()).toEqual([]);
    await runtime.signal(RUN, 'go', 'went');
    await later();
    expect(await overdue()).toEqual([RUN]);
    expect(await driver?.drive(RUN)).toEqual({ status: 'done' });
  });
});
