import { budget, done, type Outcome, type Run } from 'flyball';
import { turns, type VirtualClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { gate, type Life, RUN, type Stage, still } from './stage.js';

const HOUR = 3_600_000;
const WORKER = { worker: true, pollMs: 500, leaseMs: 15_000, suspendAfterMs: 20 };
const LOADED = { suspendAfterMs: 1e9 };

describe.each([
  ['forward', HOUR],
  ['back', -HOUR],
])('a date that is set %s by an hour', (_, ms) => {
  it('while a step is under way bounds nothing, and only time that passed is counted [F-C6]', async () => {
    const stage = still();
    const { opened, open } = gate();
    const life = stage.open(async (run: Run) => {
      const before = run.now();
      await run.step('work', null, () => opened, 'idempotent');
      return done(run.now() - before);
    });
    const ended = life.start(null, { wallMs: 60_000 });
    await stage.clock.advance(600);
    stage.clock.jump(ms);
    await stage.clock.advance(100);
    open();
    const outcome = await ended;
    expect(outcome).toMatchObject({ stop: 'done', usage: { wallMs: 700 } });
    if (outcome.stop === 'done') expect(outcome.value).toBeGreaterThanOrEqual(700);
    await expectOrder(stage);
  });

  it('still lets a run end whose active time is over, when it is over [F-C6]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => {
      await run.step('work', null, () => new Promise(() => undefined), 'pure');
      return done(null);
    });
    const ended = life.start(null, { wallMs: 1_000 });
    await stage.clock.advance(600);
    stage.clock.jump(ms);
    await stage.clock.advance(400);
    expect(await ended).toMatchObject({ stop: 'bounded', bound: 'wallMs', usage: { wallMs: 1_000 } });
  });

  it('leaves time limits of steps as long as they are [F-C6]', async () => {
    const stage = still();
    let stopped = false;
    const life = stage.open(async (run: Run) => {
      const late = new Promise<void>(() => undefined);
      await run
        .step(
          'work',
          null,
          (_input, { signal }) => {
            signal.addEventListener('abort', () => {
              stopped = true;
            });
            return late;
          },
          { class: 'pure', timeoutMs: 1_000 },
        )
        .catch(() => undefined);
      return done(null);
    });
    void life.start();
    await stage.clock.advance(600);
    stage.clock.jump(ms);
    await stage.clock.advance(399);
    expect(stopped).toBe(false);
    await stage.clock.advance(1);
    expect(stopped).toBe(true);
  });

  it('neither wakes a loaded run nor keeps it asleep [F-C6]', async () => {
    const stage = still();
    const life = stage.open(napping, { options: LOADED });
    const woken = await watched(life);
    await stage.clock.advance(200);
    stage.clock.jump(ms);
    await stage.clock.advance(199);
    expect(woken()).toBeUndefined();
    await stage.clock.advance(1);
    expect(woken()).toMatchObject({ stop: 'done', value: 'woke' });
    await expectOrder(stage);
  });

  it.each([
    ['a sleep', async (run: Run) => done(await run.sleep(60_000))],
    ['the time limit of a wait', async (run: Run) => done(await run.wait({ name: 'never', timeoutMs: 60_000 }))],
  ])('leaves %s of an unloaded run as long as it is, and loads the run once [F-C6]', async (_name, agent) => {
    const stage = still();
    const life = stage.open(agent, { options: WORKER });
    const woken = await watched(life);
    await stage.clock.advance(20_000);
    stage.clock.jump(ms);
    await stage.clock.advance(39_999);
    expect(woken()).toBeUndefined();
    await stage.clock.advance(1);
    expect(woken()).toMatchObject({ stop: 'done' });
    expect(await stage.events('attempt-start')).toHaveLength(2);
    await expectOrder(stage);
  });

  it('counts for a sleep that begins after it no more than for one before [F-C6]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.sleep(60_000);
      await run.sleep(60_000);
      return done(null);
    };
    const woken = await watched(stage.open(agent, { options: WORKER }));
    await stage.clock.advance(20_000);
    stage.clock.jump(ms);
    await stage.clock.advance(99_900);
    expect(woken()).toBeUndefined();
    await stage.clock.advance(200);
    expect(woken()).toMatchObject({ stop: 'done' });
  });

  it('does not hide what is sent to an unloaded run, which sleeps on after it [F-C6]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const heard: unknown[] = [];
      await run.all(
        [
          async (on: Run): Promise<unknown> => heard.push(await on.wait({ name: 'word', timeoutMs: 30_000 })),
          async (on: Run): Promise<unknown> => on.sleep(60_000),
        ],
        2,
      );
      return done(heard);
    };
    const life = stage.open(agent, { options: WORKER });
    const woken = await watched(life);
    await stage.clock.advance(20_000);
    stage.clock.jump(ms);
    await life.runtime.signal(RUN, 'word', 'hello');
    await stage.clock.advance(39_000);
    expect(await stage.events('wait-end')).toMatchObject([{ payload: 'hello' }]);
    expect(woken()).toBeUndefined();
    await stage.clock.advance(1_000);
    expect(woken()).toMatchObject({ stop: 'done', value: ['hello'] });
  });

  it('neither ends nor prolongs what a process knows of its own lease [F-C6]', async () => {
    const stage = still();
    const { opened, open } = gate();
    let acted = 0;
    const life = stage.open(
      async (run: Run) => {
        await run.step('first', null, () => opened, 'pure');
        return done(await run.step('act', null, () => ++acted, 'idempotent'));
      },
      { options: { leaseMs: 15_000 } },
    );
    const ended = life.start();
    await stage.clock.advance(1_000);
    stage.clock.jump(ms);
    open();
    expect(await ended).toMatchObject({ stop: 'done', value: 1 });
  });
});

describe('a run that another process goes on with', () => {
  it('sees time go on, and never back, where the date there is an hour behind [F-C6]', async () => {
    const stage = still();
    const { opened, open } = gate();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const times = [run.now()];
      await run.step('one', null, () => 1, 'pure');
      times.push(run.now());
      await run.step('two', null, () => opened, 'idempotent');
      times.push(run.now());
      await run.sleep(400);
      return done([...times, run.now()]);
    };
    const first = stage.open(agent);
    void first.start();
    await turns(50);
    first.die();
    stage.clock.jump(-HOUR);
    const second = stage.open(agent, { options: LOADED });
    const ended = second.resume();
    await stage.clock.advance(100);
    open();
    await stage.clock.advance(400);
    const outcome = await ended;
    expect(outcome.stop).toBe('done');
    const times = (outcome as { readonly value: readonly number[] }).value;
    expect((times.at(-1) ?? 0) - (times[0] ?? 0)).toBe(500);
    await expectOrder(stage);
  });

  it('sleeps until the date in the journal, whatever the process before it had slept [F-C6]', async () => {
    const stage = still();
    const first = stage.open(napping, { options: { suspendAfterMs: 20 } });
    const rested = first.start();
    await stage.clock.advance(100);
    expect(await rested).toMatchObject({ stop: 'suspended', waiting: [{ until: VIRTUAL_START + 400 }] });
    first.die();
    stage.clock.jump(HOUR);
    const woken = await watched(stage.open(napping, { options: WORKER }), { isStarted: true });
    await stage.clock.advance(1);
    expect(woken()).toMatchObject({ stop: 'done', value: 'woke' });
  });

  it('is not loaded again and again by somebody who wakes it by the date [F-C6]', async () => {
    const stage = still();
    const life = stage.open(napping, { options: { suspendAfterMs: 20 } });
    const rested = life.start();
    await stage.clock.advance(100);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    stage.clock.jump(HOUR);
    const handle = await life.runtime.wake(RUN);
    const ended = handle.outcome();
    await stage.clock.advance(1);
    expect(await ended).toMatchObject({ stop: 'done', value: 'woke' });
  });

  it('is forked with times that go on from those of its past [F-C6]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => {
      await run.step('one', null, () => 1, 'pure');
      return done(run.now());
    });
    const { value: before } = (await life.start()) as { readonly value: number };
    stage.clock.jump(-HOUR);
    const handle = await life.runtime.fork(RUN, { at: 2, id: 'fork' });
    const outcome = await handle.outcome();
    expect(outcome.stop === 'done' && (outcome.value as number) >= before).toBe(true);
    const times = (await stage.entries('fork')).map((entry) => entry.at);
    expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
  });

  it('is paused and resumed with times that go on [F-C6]', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'go' })));
    const rested = life.start();
    await stage.clock.advance(10);
    await life.runtime.pause(RUN);
    await stage.clock.advance(100);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    stage.clock.jump(-HOUR);
    await life.runtime.signal(RUN, 'go', 1);
    const ended = life.resume({ by: 'op' });
    await stage.clock.advance(100);
    expect(await ended).toMatchObject({ stop: 'done' });
    await expectOrder(stage);
  });
});

const napping = async (run: Run): Promise<Outcome<unknown>> => {
  await run.sleep(400);
  return done('woke');
};

/** How the run ended, once it has. */
async function watched(
  { runtime }: Life,
  how: { readonly isStarted?: true } = {},
): Promise<() => Outcome<unknown> | undefined> {
  const handle =
    how.isStarted === true
      ? runtime.handle(RUN)
      : await runtime.start('agent', null, { id: RUN, budget: budget({ wallMs: 60_000 }) });
  let known: Outcome<unknown> | undefined;
  handle.finished().then(
    (outcome) => {
      known = outcome;
    },
    () => undefined, // the runtime is dropped when the test ends
  );
  return () => known;
}

async function expectOrder(stage: Stage<VirtualClock>): Promise<void> {
  const entries = await stage.entries();
  for (const of of [entries.map(({ at }) => at), entries.map(({ activeMs }) => activeMs)])
    expect(of).toEqual(of.toSorted((a, b) => a - b));
}
