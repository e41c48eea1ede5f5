import {
  budget,
  type Dispatcher,
  done,
  type Engine,
  FlyballError,
  memoryEngine,
  type Outcome,
  type Run,
} from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, still } from './stage.js';

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
