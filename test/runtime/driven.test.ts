import {
  budget,
  type Dispatcher,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
  type Runtime,
} from 'flyball';
import { testHost, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, Stage, still } from './stage.js';

/** Notes what it was handed; a test drives. */
function notebook(): Dispatcher & { readonly told: string[] } {
  const told: string[] = [];
  return {
    told,
    dispatch: async (runId) => {
      told.push(runId);
    },
  };
}

/** An engine whose next call of this kind, once that is asked for, takes until it is let go on. */
function slowOnce(what: 'append' | 'inbox' | 'claim') {
  let waiting: { readonly reaching: ReturnType<typeof gate>; readonly going: ReturnType<typeof gate> } | undefined;
  const hold = async (): Promise<void> => {
    const held = waiting;
    waiting = undefined;
    held?.reaching.open(undefined);
    await held?.going.opened;
  };
  return {
    around: (inner: Engine): Engine => ({
      ...inner,
      [what]: async (...given: readonly never[]) => {
        await hold();
        return (inner[what] as (...given: readonly never[]) => unknown)(...given);
      },
    }),
    next: () => {
      const [reaching, going] = [gate(), gate()];
      waiting = { reaching, going };
      return { reached: reaching.opened, goOn: () => going.open(undefined) };
    },
  };
}

/** A run that waits and was paused, a process that works on it when it is driven, and one that only says what is to be done. */
async function pausedRun(engines: Readonly<Partial<Record<'desk' | 'worker', (inner: Engine) => Engine>>>) {
  const { engine, clock } = still();
  const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
  const [desk, worker] = (['desk', 'worker'] as const).map((name) => {
    const around = engines[name] ?? ((inner: Engine) => inner);
    const how = { dispatcher: notebook(), host: testHost(name), options: { suspendAfterMs: 10, leaseMs: 15_000 } };
    return new Stage(clock, around(engine)).open(agent, how).runtime;
  }) as [Runtime, Runtime];
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 10) {
      await turns(20);
      await clock.advance(10);
    }
    await turns(20);
  };
  await desk.start('agent', null, { id: RUN, budget: budget({}) });
  for (const status of ['suspended', 'paused']) {
    const driven = worker.drive(RUN);
    await pass(50);
    expect(await driven).toEqual({ status });
    if (status === 'suspended') await desk.pause(RUN);
  }
  return { engine, desk, worker, pass };
}

describe('a run whose turn a dispatcher decides', () => {
  it('is handed over when it is started, told something, resumed or canceled, and lives nowhere by itself [R10-PORT-DISPATCH]', async () => {
    const stage = moving();
    const dispatcher = notebook();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const { runtime } = stage.open(agent, { dispatcher });
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    expect(dispatcher.told).toEqual([RUN]);
    await turns(40);
    expect(runtime.loaded()).toBe(0);
    expect((await runtime.get(RUN)).status).toBe('pending');

    expect(await runtime.drive(RUN)).toEqual({ status: 'suspended' });
    await runtime.pause(RUN);
    expect(await runtime.drive(RUN)).toEqual({ status: 'paused' });
    await runtime.resume(RUN);
    expect((await runtime.get(RUN)).status).toBe('pending');
    expect(await runtime.drive(RUN)).toEqual({ status: 'suspended' });
    await runtime.signal(RUN, 'go', 7);
    expect(dispatcher.told).toHaveLength(4);
    expect(await runtime.drive(RUN)).toEqual({ status: 'done' });
    expect(await runtime.drive(RUN)).toEqual({ status: 'done' }); // called once too often
    expect(await runtime.handle(RUN).outcome()).toMatchObject({ stop: 'done', value: 7 });
  });

  it('is handed over again when it is asked for again under its id [R10-SIM-DISPATCH]', async () => {
    const stage = moving();
    const dispatcher = notebook();
    const agent = async (): Promise<Outcome<unknown>> => done(null);
    const { runtime } = stage.open(agent, { dispatcher });
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    const again = runtime.start('agent', null, { id: RUN, budget: budget({}) });
    await expect(again).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    expect(dispatcher.told).toEqual([RUN, RUN]);
  });

  it('is handed over also where the storage fails while it is being resumed [R10-SIM-DISPATCH]', async () => {
    const inner = memoryEngine();
    let isBroken = false;
    const inbox: Engine['inbox'] = (runId, after) =>
      isBroken
        ? Promise.reject(new FlyballError('STORAGE_BUSY', 'Not now.', { retryable: true }))
        : inner.inbox(runId, after);
    const stage = moving({ ...inner, inbox });
    const dispatcher = notebook();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const { runtime } = stage.open(agent, { dispatcher });
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    await runtime.pause(RUN);
    expect(await runtime.drive(RUN)).toEqual({ status: 'paused' });
    const told = dispatcher.told.length;
    isBroken = true;
    await expect(runtime.resume(RUN)).rejects.toMatchObject({ code: 'STORAGE_BUSY' });
    isBroken = false;
    expect((await runtime.get(RUN)).status).toBe('running'); // claimed, and nobody works on it
    expect(dispatcher.told.slice(told)).toEqual([RUN]);
    expect(await runtime.drive(RUN)).toEqual({ status: 'paused' });
  });

  it('says when it is to be driven again, and is left alone before that [R10-PORT-DISPATCH]', async () => {
    const stage = still();
    const dispatcher = notebook();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.sleep(60_000);
      return done('awake');
    };
    const { runtime } = stage.open(agent, { dispatcher });
    await runtime.start('agent', null, { id: RUN, budget: budget({}) });
    const driven = runtime.drive(RUN);
    await turns(40);
    await stage.clock.advance(100);
    const { status, wakeAt = 0 } = await driven;
    expect([status, wakeAt > stage.clock.now()]).toEqual(['suspended', true]);
    expect(await runtime.drive(RUN)).toMatchObject({ status: 'suspended' });
    await stage.clock.advance(wakeAt - stage.clock.now());
    const ended = runtime.drive(RUN);
    await turns(40);
    await stage.clock.advance(100);
    expect(await ended).toEqual({ status: 'done' });
  });

  it('sleeps until the date that the last process unloaded it until, also where an earlier one drives it [R10-SIM-LAST-SLEEP]', async () => {
    const stage = moving();
    const dispatcher = notebook();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.wait({ name: 'go', timeoutMs: 3_600_000 });
      return done(await run.wait({ name: 'more', timeoutMs: 60_000 }));
    };
    const [first, second] = [stage.open(agent, { dispatcher }), stage.open(agent, { dispatcher })];
    await first.runtime.start('agent', null, { id: RUN, budget: budget({}) });
    const anHour = await first.runtime.drive(RUN);
    await first.runtime.signal(RUN, 'go', 1);
    const { wakeAt = 0 } = await second.runtime.drive(RUN);
    expect(wakeAt).toBeLessThan(anHour.wakeAt ?? 0);
    expect(await first.runtime.drive(RUN)).toEqual({ status: 'suspended', wakeAt });
    await new Promise<void>((resolve) => stage.clock.after(wakeAt - stage.clock.now(), resolve));
    expect(await first.runtime.drive(RUN)).toEqual({ status: 'done' });
  });

  it('is resumed although what was said before has it driven at that moment, and counts no crash [R18-RESUME-RACE]', async () => {
    const slow = slowOnce('append');
    const { engine, desk, worker, pass } = await pausedRun({ desk: slow.around });
    await desk.signal(RUN, 'go', 'told');
    const { reached, goOn } = slow.next();
    const resumed = desk.resume(RUN);
    await reached;
    const driven = worker.drive(RUN); // what the signal asked for
    await pass(100);
    goOn();
    await pass(200);
    await resumed;
    expect(await driven).toEqual({ status: 'done' });
    expect(await engine.get(RUN)).toMatchObject({ status: 'done', crashes: 0 });
    expect((await desk.entries(RUN)).filter(({ event }) => event.type === 'run-resume')).toHaveLength(1);
  });

  it('is resumed also where somebody just drives it: whoever resumes it tries again [R18-RESUME-RACE]', async () => {
    const [slow, late] = [slowOnce('inbox'), slowOnce('claim')];
    const { engine, desk, worker, pass } = await pausedRun({ worker: slow.around, desk: late.around });
    await engine.post(RUN, { id: 'again', kind: 'resume', name: '', from: 'ann', at: 0, body: '' });
    const [looked, claimed] = [late.next(), slow.next()];
    const resumed = desk.resume(RUN);
    await looked.reached;
    const driven = worker.drive(RUN);
    await claimed.reached;
    looked.goOn();
    await pass(100);
    claimed.goOn();
    await pass(1_000);
    await resumed;
    expect(await driven).toEqual({ status: 'suspended' });
    expect(await engine.get(RUN)).toMatchObject({ status: 'pending', crashes: 0 });
  });

  it('is taken over from a process that still holds it, which cannot write any more [R10-PORT-TAKEOVER]', async () => {
    const stage = moving();
    const hold = gate<string>();
    const dispatcher = notebook();
    const slow =
      (opened: Promise<string>) =>
      async (run: Run): Promise<Outcome<unknown>> =>
        done(await run.step('slow', null, () => opened, 'idempotent'));
    const first = stage.open(slow(hold.opened), { dispatcher });
    await first.runtime.start('agent', null, { id: RUN, budget: budget({}) });
    const stuck = first.runtime.drive(RUN).catch((error: unknown) => error);
    await turns(40);
    const second = stage.open(slow(Promise.resolve('second')), { dispatcher });
    expect(await second.runtime.drive(RUN)).toEqual({ status: 'done' });
    hold.open('first');
    expect(await stuck).toMatchObject({ code: 'JOURNAL_CONFLICT' });
    expect(await second.runtime.handle(RUN).outcome()).toMatchObject({ value: 'second' });
    expect((await stage.events('attempt-start')).map(({ why }) => why)).toEqual(['wake', 'takeover']);
  });
});
