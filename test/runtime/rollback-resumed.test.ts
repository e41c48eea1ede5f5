import { done, failed, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving, RUN } from './stage.js';
import { failure, World } from './undo-world.js';

describe('code that knew how to undo', () => {
  const end = async (run: Run): Promise<Outcome<unknown>> => {
    await run.wait({ name: 'fail' });
    return failed(failure);
  };

  it('is learned again after a crash [R2-SAGA-JOURNALED]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      await run.all([(on) => world.make(on, 'b'), (on) => world.make(on, 'c')], 2);
      return end(run);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: true } });
    expect(world.exists.size).toBe(0);
    expect(world.log.slice(3)).toEqual(['undo c (c!)', 'undo b (b!)', 'undo a (a!)']);
  });

  it('is learned again inside finished children, without acting again', async () => {
    const stage = moving();
    const world = new World();
    const inner = async (run: Run): Promise<Outcome<unknown>> => done(await world.make(run, 'inner'));
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'outer');
      return run.spawn(inner, null, { share: 0.5 });
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.spawn(child, null, { share: 0.5 });
      return end(run);
    };
    const life = stage.open(agent);
    await life.start();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({
      rollback: { success: true, entries: [{ name: 'make inner' }, { name: 'make outer' }] },
    });
    expect(world.log).toEqual(['make outer', 'make inner', 'undo inner (inner!)', 'undo outer (outer!)']);
  });

  it('is learned again for earlier generations [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run, input: { readonly turn: number } | null): Promise<Outcome<unknown>> => {
      const turn = input?.turn ?? 0;
      await world.make(run, `g${turn}`);
      return turn < 2 ? run.continueWith({ turn: turn + 1 }) : end(run);
    };
    const life = stage.open(agent as never);
    await life.start();
    life.die();
    const second = stage.open(agent as never);
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({ rollback: { success: true } });
    expect(world.log.slice(3)).toEqual(['undo g2 (g2!)', 'undo g1 (g1!)', 'undo g0 (g0!)']);
  });

  it('that is gone is reported, not ignored [R2-SAGA-ALERT]', async () => {
    const stage = moving();
    const world = new World();
    const child = async (run: Run): Promise<Outcome<unknown>> => done(await world.make(run, 'a'));
    const life = stage.open(async (run: Run) => {
      await run.spawn(child, null, { share: 0.5 });
      return end(run);
    });
    await life.start();
    life.die();
    async function forgetful(): Promise<Outcome<unknown>> {
      return done('x');
    }
    Object.defineProperty(forgetful, 'name', { value: 'child' }); // same place in the code, another body
    const second = stage.open(async (run: Run) => {
      await run.spawn(forgetful, null, { share: 0.5 });
      return end(run);
    });
    await second.runtime.signal(RUN, 'fail');
    expect(await second.resume()).toMatchObject({
      rollback: {
        success: false,
        entries: [{ status: 'COMPENSATION_FAILED', note: expect.stringContaining('no longer exists') }],
      },
    });
  });

  it.each([
    ['after the INTENT of the first', 'after', 'intent', 3],
    ['before the end of the first', 'before', 'complete', 3],
    ['after the end of the first', 'after', 'complete', 3],
    ['after the INTENT of the second', 'after', 'intent', 4],
    ['before its end', 'before', 'rollback-end', 1],
    ['after its end', 'after', 'rollback-end', 1],
  ] as const)(
    'repeats nothing that was undone before a crash inside the rollback, %s [R2-SHOW-CRASH-ROLLBACK] [R2-SAGA-JOURNALED]',
    async (_what, when, type, nth) => {
      const stage = moving();
      const world = new World();
      const agent = async (run: Run): Promise<Outcome<unknown>> => {
        await world.make(run, 'a');
        await world.make(run, 'b');
        return failed(failure);
      };
      await stage.crashed(agent, at(when, type, nth));
      expect(await stage.open(agent).resume()).toMatchObject({
        stop: 'failed',
        rollback: { success: true, entries: [{ name: 'make b' }, { name: 'make a' }] },
      });
      expect(world.exists.size).toBe(0);
      expect(world.log.filter((line) => line.startsWith('make'))).toHaveLength(2);
      const ended = eventsOf(await stage.entries(), 'complete').filter(({ id }) => id.endsWith('!undo'));
      expect(ended.map(({ id }) => id)).toEqual(['run:0:#1!undo', 'run:0:#0!undo']);
    },
  );
});
