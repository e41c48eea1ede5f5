import { done, type Engine, memoryEngine, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { answer, moving, RUN } from './stage.js';
import { World } from './undo-world.js';

/** An engine whose driver loses the first answer to every message, sends it again, and hears that it is there. */
function sendsAgain(engine: Engine = memoryEngine()): Engine {
  return {
    ...engine,
    post: async (runId, message) => {
      await engine.post(runId, message);
      return engine.post(runId, message);
    },
  };
}

const look: Tool<null, null> = { name: 'look', description: 'Looks.', effect: 'pure', execute: async () => null };

describe('a message that a driver sends again by itself', () => {
  it.each([{}, { id: 'c1' }])(
    'cancels a run at its bound, which undoes what it did (%o) [R10-SIM-SENT-AGAIN]',
    async (given) => {
      const stage = moving(sendsAgain());
      const world = new World();
      const life = stage.open(async (run: Run) => {
        await world.make(run, 'a');
        return done((await run.call(look, null)).content);
      });
      expect(await life.start(null, { toolCalls: 0 })).toMatchObject({ stop: 'bounded' });
      await life.runtime.cancel(RUN, { by: 'ada', ...given });
      expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending' }); // a worker takes it up
      expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({
        stop: 'cancelled',
        rollback: { success: true, entries: [{ name: 'make a', status: 'COMPENSATED' }] },
      });
      expect(world.exists.size).toBe(0);
    },
  );

  it('cancels a run that was set aside, once its code is back [R10-SIM-SENT-AGAIN]', async () => {
    const stage = moving(sendsAgain());
    const code = (name: string) => async (run: Run) => {
      await run.step(name, null, () => 1, 'pure');
      return done(await run.wait({ name: 'go' }));
    };
    const before = stage.open(code('look'));
    expect(await before.start()).toMatchObject({ stop: 'suspended' });
    before.die();
    const changed = stage.open(code('search'));
    await changed.resume().catch(() => undefined);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'stalled', code: 'REPLAY_DIVERGED' });
    await changed.runtime.cancel(RUN);
    expect(await stage.engine.get(RUN)).toMatchObject({ status: 'pending' });
    changed.die();
    expect(await (await stage.open(code('look')).runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'cancelled' });
  });

  it('is told to its sender as one that came once, and as known where it came before under its id [R10-SIM-SENT-AGAIN]', async () => {
    const stage = moving(sendsAgain());
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done([await run.wait({ name: 'go' }), await run.wait({ name: 'more' }), await run.wait({ name: 'last' })]);
    const life = stage.open(agent);
    await life.start();
    expect(await life.runtime.signal(RUN, 'last', 3)).toMatchObject({ delivery: 'buffered' });
    expect(await life.runtime.signal(RUN, 'go', 1)).toMatchObject({ delivery: 'delivered' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'suspended' });
    expect(await answer(life.runtime, RUN, 'more', 2)).toMatchObject({ delivery: 'delivered' });
    await life.runtime.signal(RUN, 'other', 4, { id: 's1' });
    expect(await life.runtime.signal(RUN, 'other', 4, { id: 's1' })).toMatchObject({ delivery: 'duplicate' });
    expect(await (await life.runtime.wake(RUN)).outcome()).toMatchObject({ stop: 'done', value: [1, 2, 3] });
  });
});
