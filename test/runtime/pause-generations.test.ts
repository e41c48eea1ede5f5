import { done, type Engine, memoryEngine, type Outcome, type Run, type Runtime } from 'flyball';
import { supervise } from 'flyball/people';
import { type CrashPoint, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, type Life, moving, RUN } from './stage.js';

type Meddle = (n: number) => unknown;

/** One act a generation; `meddle` is called inside each, while it is in flight. */
function oneActEach(last: number, acts: unknown[], meddle: Meddle) {
  return async (run: Run, input: unknown): Promise<Outcome<unknown>> => {
    const n = (input as number | null) ?? 0;
    const body = async () => {
      acts.push(n);
      await meddle(n);
    };
    await run.step('act', n, body, {
      class: 'undoable',
      compensate: async () => void acts.push(`undo ${n}`),
      verify: async () => (acts.includes(n) ? { happened: 'yes', result: undefined } : { happened: 'no' }),
    });
    return n < last ? run.continueWith(n + 1) : done(run.instructions().map(({ text }) => text));
  };
}

/** Tells nobody that something was written, as between processes until somebody looks. */
const untold = (): Engine => ({ ...memoryEngine(), watch: () => () => undefined });

const once = (when: number, does: () => Promise<unknown>): Meddle => {
  let isDone = false;
  return async (n) => {
    if (n !== when || isDone) return;
    isDone = true;
    await turns(10); // by now the generation has read its messages, and looks again only when it is told to
    await does();
  };
};

describe('a pause sent inside the last act of a generation', () => {
  it('holds the run before the next generation begins, and a resume goes on there [R7-BODIES-PAUSE]', async () => {
    const stage = moving();
    const acts: unknown[] = [];
    const life: Life = stage.open(
      oneActEach(
        4,
        acts,
        once(1, () => life.runtime.pause(RUN, { by: 'ada' })),
      ),
    );
    expect(await life.start()).toMatchObject({ stop: 'suspended', paused: true });
    expect(acts).toEqual([0, 1]);
    expect(await life.runtime.get(RUN)).toMatchObject({ status: 'paused', generation: 2 });
    expect(life.runtime.loaded()).toBe(0);
    const entries = await stage.entries();
    expect(entries.slice(-2).map(({ event, generation }) => [event.type, generation])).toEqual([
      ['generation-start', 2],
      ['run-pause', 2],
    ]);
    expect(eventsOf(entries, 'run-pause')).toEqual([{ type: 'run-pause', by: 'ada' }]);
    expect(await stage.engine.inbox(RUN, 0)).toEqual([]);
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(acts).toEqual([0, 1, 2, 3, 4]);
  });

  it('is heard where another process sent it and nobody told the one at work [R7-BODIES-PAUSE]', async () => {
    const stage = moving(untold());
    const acts: unknown[] = [];
    const elsewhere = stage.open(async () => done(null));
    const life = stage.open(
      oneActEach(
        4,
        acts,
        once(1, () => elsewhere.runtime.pause(RUN)),
      ),
    );
    expect(await life.start()).toMatchObject({ stop: 'suspended', paused: true });
    expect(acts).toEqual([0, 1]);
  });

  it('is what an interrupt of a supervised run comes to [R7-BODIES-PAUSE]', async () => {
    const stage = moving();
    const acts: unknown[] = [];
    let told = (): void => undefined;
    const interrupted = new Promise<void>((resolve) => {
      told = resolve;
    });
    const life = stage.open(
      oneActEach(
        4,
        acts,
        once(2, () => interrupted),
      ),
    );
    const started = life.start();
    const watch = supervise(life.runtime, RUN, {
      from: 'start',
      monitor: ({ event }) =>
        event.type === 'intent' && event.input === 2 ? { tier: 'interrupt', why: 'that is enough' } : undefined,
      onTrigger: { interrupt: () => told() },
    });
    expect(await started).toMatchObject({ stop: 'suspended', paused: true });
    expect(acts).toEqual([0, 1, 2]);
    watch.stop();
  });

  it('is taken back by a resume that comes before the generation turns [R7-BODIES-PAUSE]', async () => {
    const stage = moving();
    const acts: unknown[] = [];
    const back = async ({ runtime }: Life) => {
      await runtime.pause(RUN);
      await runtime.resume(RUN);
    };
    const life: Life = stage.open(
      oneActEach(
        3,
        acts,
        once(1, () => back(life)),
      ),
    );
    expect(await life.start()).toMatchObject({ stop: 'done' });
    expect(acts).toEqual([0, 1, 2, 3]);
  });

  it('survives the death of its process at every write [R7-BODIES-PAUSE]', async () => {
    const play = async (crash: (point: CrashPoint) => boolean) => {
      const stage = moving(untold());
      const acts: unknown[] = [];
      const points: CrashPoint[] = [];
      let isPaused = false;
      const meddle = once(1, async () => {
        await stage.open(async () => done(null)).runtime.pause(RUN);
        isPaused = true;
      });
      const plan = (point: CrashPoint) => {
        if (!isPaused) return false;
        points.push(point);
        return crash(point);
      };
      const life = stage.open(oneActEach(3, acts, meddle), { crash: plan });
      const rest = await Promise.race([life.start(), life.crashed.then(() => 'crashed' as const)]);
      life.die();
      const next = stage.open(oneActEach(3, acts, meddle), { options: { suspendAfterMs: 1e9 } });
      const woken = rest === 'crashed' ? await (await next.runtime.wake(RUN)).outcome() : rest;
      return { acts, points, rest, woken, next };
    };
    const { points } = await play(() => false);
    expect(points.length).toBeGreaterThan(5);
    for (const { n, when } of points) {
      const { acts, rest, woken, next } = await play((point) => point.n === n && point.when === when);
      expect([n, when, rest]).toEqual([n, when, 'crashed']);
      expect([n, when, woken]).toMatchObject([n, when, { stop: 'suspended', paused: true }]);
      expect(new Set(acts)).toEqual(new Set([0, 1]));
      expect([n, when, await next.resume()]).toMatchObject([n, when, { stop: 'done' }]);
      expect(new Set(acts)).toEqual(new Set([0, 1, 2, 3]));
    }
  });
});

describe('a pause sent while no process works on the run', () => {
  it('holds it before anything new begins, and what was begun is seen to its end [R7-BODIES-PAUSE]', async () => {
    for (const [type, nth, wanted] of [
      ['complete', 1, ['first', 'look']],
      ['intent', 2, ['first', 'look', 'second']],
    ] as const) {
      const stage = moving();
      const acts: string[] = [];
      const act = (run: Run, name: string) => run.step(name, null, () => void acts.push(name), 'idempotent');
      const agent = async (run: Run): Promise<Outcome<unknown>> => {
        await act(run, 'first');
        const look = () => {
          acts.push('look');
          return new Promise((resolve) => stage.clock.after(1_000, () => resolve(null)));
        };
        await run.step('look', null, look, 'pure');
        await act(run, 'second');
        return done(await act(run, 'third'));
      };
      await stage.crashed(agent, at('after', type, nth));
      const life = stage.open(agent);
      await life.runtime.pause(RUN);
      expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'suspended', paused: true });
      expect(acts).toEqual(wanted);
      expect(await life.resume()).toMatchObject({ stop: 'done' });
      expect([...new Set(acts)]).toEqual(['first', 'look', 'second', 'third']);
    }
  });
});

describe('what else another process says inside the last act of a generation', () => {
  const said = async (does: (runtime: Runtime) => Promise<unknown>) => {
    const stage = moving(untold());
    const acts: unknown[] = [];
    const elsewhere = stage.open(async () => done(null)).runtime;
    const life = stage.open(
      oneActEach(
        3,
        acts,
        once(1, () => does(elsewhere)),
      ),
    );
    return { outcome: await life.start(), acts, stage };
  };

  it('cancels the run before the next one begins, and undoes all of them [R7-BODIES-PAUSE]', async () => {
    const { outcome, acts } = await said((runtime) => runtime.cancel(RUN));
    expect(outcome).toMatchObject({ stop: 'cancelled' });
    expect(acts).toEqual([0, 1, 'undo 1', 'undo 0']);
  });

  it('is in its instructions from the next one on [R7-BODIES-PAUSE]', async () => {
    const { outcome, stage } = await said((runtime) => runtime.redirect(RUN, 'Be brief.'));
    expect(outcome).toMatchObject({ stop: 'done', value: ['Be brief.'] });
    const told = (await stage.entries()).find(({ event }) => event.type === 'redirect');
    expect(told).toMatchObject({ generation: 2, seq: 1 });
  });
});
