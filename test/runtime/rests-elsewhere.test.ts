import { budget, done, FlyballError, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, Stage, still } from './stage.js';

describe('the outcome of a run that another process works on', () => {
  it('is how it ends there, and nothing before that [R7-TRIAL-B1]', async () => {
    const stage = still();
    const hold = gate<string>();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('slow', null, () => hold.opened, 'idempotent'));
    const there = stage.open(agent).start();
    await turns(20);
    const here = stage.open(agent).runtime;
    const told: unknown[] = [];
    const answers = [here.handle(RUN).outcome(), here.handle(RUN).finished()];
    for (const answer of answers) answer.then((outcome) => told.push(outcome));
    await turns(20);
    await stage.clock.advance(2_000);
    await turns(20);
    expect(told).toEqual([]);
    hold.open('ok');
    expect(await there).toMatchObject({ stop: 'done' });
    await stage.clock.advance(2_000);
    expect(await Promise.all(answers)).toMatchObject([
      { stop: 'done', value: 'ok' },
      { stop: 'done', value: 'ok' },
    ]);
  });

  it('is what it waits for, when it rests there [R7-TRIAL-B1]', async () => {
    const stage = moving();
    const hold = gate();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('slow', null, () => hold.opened, 'idempotent');
      return done(await run.wait({ name: 'go' }));
    };
    const there = stage.open(agent).start();
    await turns(20);
    const rested = stage.open(agent).runtime.handle(RUN).outcome();
    hold.open();
    expect(await rested).toMatchObject({ stop: 'suspended', waiting: [{ name: 'go' }] });
    expect(await there).toMatchObject({ stop: 'suspended' });
  });

  it('does not list what a branch slept for that was left [R10-RESTATE-PROGRAMS]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.first([(branch) => branch.sleep(3_000), (branch) => branch.sleep(1_000)]);
      await run.sleep(60_000);
      return done(null);
    };
    const there = stage.open(agent, { options: { suspendAfterMs: 20 } });
    void there.start();
    await turns(20);
    await stage.clock.advance(1_000);
    await there.runtime.wake(RUN);
    await turns(20);
    await stage.clock.advance(100);
    await turns(20);
    const { wakeAt } = await there.runtime.get(RUN);
    expect(wakeAt).toBe(stage.clock.now() - 100 + 60_000);
    const here = stage.open(agent).runtime;
    expect(await here.handle(RUN).outcome()).toMatchObject({
      stop: 'suspended',
      waiting: [{ kind: 'sleep', until: wakeAt }],
    });
  });

  it('is the reason why it was set aside there [R7-TRIAL-B1]', async () => {
    const stage = moving();
    const hold = gate();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('slow', null, () => hold.opened, 'idempotent');
      return done(null);
    };
    const there = stage.open(agent);
    void there.start();
    await turns(20);
    const rested = stage.open(agent).runtime.handle(RUN).outcome();
    const claim = await stage.engine.claim(RUN, {
      owner: { id: 'somebody', pid: 1, startedAt: 0 } as never,
      now: stage.clock.now(),
      leaseMs: 1e9,
      isGone: () => true,
    });
    await stage.engine.release(claim, { status: 'stalled', attention: 'it broke', now: stage.clock.now() });
    await expect(rested).rejects.toMatchObject({ code: 'RUN_STALLED', message: expect.stringContaining('it broke') });
  });

  it('is not answered any more once the runtime that was asked is closed [R7-TRIAL-B1]', async () => {
    const stage = still();
    const agent = (run: Run): Promise<Outcome<unknown>> =>
      run.step('never', null, () => new Promise<Outcome<unknown>>(() => undefined), 'idempotent');
    void stage.open(agent).start();
    await turns(20);
    const here = stage.open(agent).runtime;
    const rested = here.handle(RUN).outcome();
    await here.close();
    await expect(rested).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
    await expect(here.handle(RUN).outcome()).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
  });

  it('is how it rests there, also where this process was about to take it [R7-TRIAL-B1]', async () => {
    const stage = moving();
    const hold = gate<string>();
    const asked = gate();
    const goOn = gate();
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('slow', null, () => hold.opened, 'idempotent'));
    const late = new Proxy(stage.engine, {
      get: (engine, name) =>
        name === 'claim'
          ? async (...given: Parameters<typeof engine.claim>) => {
              asked.open();
              await goOn.opened;
              return engine.claim(...given);
            }
          : Reflect.get(engine, name),
    });
    const here = new Stage(stage.clock, late).open(agent);
    stage.open(agent); // so that the next one has another name than the one here
    const there = stage.open(agent);
    const started = here.start();
    await asked.opened;
    const rested = here.runtime.handle(RUN).outcome();
    await there.runtime.wake(RUN);
    goOn.open();
    await turns(20);
    hold.open('ok');
    expect(await rested).toMatchObject({ stop: 'done', value: 'ok' });
    expect(await started).toMatchObject({ stop: 'done', value: 'ok' });
  });
});

describe('a start whose run is stored', () => {
  const full = (): FlyballError =>
    new FlyballError('STORAGE_FULL', 'The disk is full. This call wrote nothing; make it again.', { retryable: true });
  for (const call of ['claim', 'append'] as const) {
    it(`gives the run's handle although the disk is full at its ${call}, and says not to start it again [R7-TRIAL-B4]`, async () => {
      const stage = moving();
      let isFull = true;
      const made: string[] = [];
      const tight = new Proxy(stage.engine, {
        get: (engine, name) => (name === call && isFull ? () => Promise.reject(full()) : Reflect.get(engine, name)),
      });
      const agent = async (run: Run): Promise<Outcome<unknown>> =>
        done(await run.step('act', null, () => made.push('act'), 'idempotent'));
      const first = new Stage(stage.clock, tight).open(agent);
      const handle = await first.runtime.start('agent', null, { budget: budget(), id: RUN });
      const told = {
        code: 'STORAGE_FULL',
        message: expect.stringMatching(new RegExp(`^Run ${RUN} is stored .* Do not start it again`)),
      };
      await expect(handle.outcome()).rejects.toMatchObject(told);
      await expect(handle.finished()).rejects.toMatchObject(told);
      expect(made).toEqual([]);
      isFull = false;
      expect(await first.resume()).toMatchObject({ stop: 'done' });
      expect(await handle.outcome()).toMatchObject({ stop: 'done' });
      expect(made).toEqual(['act']);
    });
  }

  it('is a start that failed where nothing was stored [R7-TRIAL-B4]', async () => {
    const stage = moving();
    const tight = new Proxy(stage.engine, {
      get: (engine, name) => (name === 'create' ? () => Promise.reject(full()) : Reflect.get(engine, name)),
    });
    const life = new Stage(stage.clock, tight).open(async () => done(1));
    await expect(life.start()).rejects.toMatchObject({
      code: 'STORAGE_FULL',
      message: expect.stringContaining('make it again'),
    });
    expect(await stage.engine.get(RUN)).toBeUndefined();
  });

  it('is refused by a runtime that is closed, which stores nothing [R7-TRIAL-B4]', async () => {
    const stage = still();
    const life = stage.open(async () => done(1));
    await life.runtime.close();
    await expect(life.start()).rejects.toMatchObject({ code: 'RUN_UNLOADED' });
    expect(await stage.engine.get(RUN)).toBeUndefined();
  });
});
