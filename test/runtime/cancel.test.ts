import { budget, done, failed, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { answer, at, eventsOf, gate, moving, RUN, still } from './stage.js';
import { failure, World } from './undo-world.js';

describe('a cancellation', () => {
  it('aborts what is in flight and undoes what is done, newest first [R2-SAGA-ORDER] [R2-FAILURE-HUMAN]', async () => {
    const stage = still();
    const world = new World();
    let aborted: unknown;
    const life = stage.open(async (run: Run) => {
      await world.make(run, 'a');
      await world.make(run, 'b');
      await world.make(run, 'c');
      await run.step(
        'slow',
        null,
        (_input, { signal }) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              aborted = signal.reason;
              reject(signal.reason as Error);
            }),
          ),
        'pure',
      );
      return done(null);
    });
    const ended = life.start();
    await turns(30);
    await life.runtime.cancel(RUN, { by: 'ada', why: 'changed my mind' });
    expect(await ended).toMatchObject({
      stop: 'cancelled',
      because: expect.stringContaining('changed my mind'),
      rollback: {
        success: true,
        entries: [
          { name: 'make c', effect: '#2', status: 'COMPENSATED' },
          { name: 'make b', status: 'COMPENSATED' },
          { name: 'make a', status: 'COMPENSATED' },
        ],
      },
    });
    expect(aborted).toMatchObject({ code: 'CANCELLED' });
    expect(world.log.slice(3)).toEqual(['undo c (c!)', 'undo b (b!)', 'undo a (a!)']);
    expect(world.exists.size).toBe(0);
    expect(await stage.events('cancel')).toEqual([{ type: 'cancel', by: 'ada', why: 'changed my mind' }]);
  });

  it('journals each compensation as an effect with a key of its own [R2-SAGA-JOURNALED]', async () => {
    const stage = moving();
    const world = new World();
    await stage
      .open(async (run: Run) => {
        await world.make(run, 'a');
        return failed(failure);
      })
      .start();
    const entries = await stage.entries();
    expect(eventsOf(entries, 'intent').at(-1)).toMatchObject({
      of: 'undo',
      id: 'run:0:#0!undo',
      key: 'run:0:#0!undo',
      class: 'idempotent',
    });
    expect(eventsOf(entries, 'complete').at(-1)).toMatchObject({ id: 'run:0:#0!undo' });
    expect(world.keys).toEqual(['run:0:#0!undo']);
    expect(entries.slice(-5).map(({ event }) => event.type)).toEqual([
      'rollback-start',
      'intent',
      'complete',
      'rollback-end',
      'run-end',
    ]);
  });

  it('of a suspended run wakes it only to undo [R2-SAGA-ORDER]', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      await run.wait({ name: 'go' });
      await world.make(run, 'b');
      return done(null);
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    await life.start();
    const finished = life.runtime.handle(RUN).finished();
    await life.runtime.cancel(RUN);
    expect(await finished).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    expect(world.log).toEqual(['make a', 'undo a (a!)']);
  });

  it('of a paused run undoes it too', async () => {
    const stage = moving();
    const world = new World();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      return done(await run.wait({ name: 'go' }));
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9, suspendAfterMs: 1000 } });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    await life.runtime.pause(RUN);
    expect(await handle.outcome()).toMatchObject({ paused: true });
    const finished = handle.finished();
    await life.runtime.cancel(RUN);
    expect(await finished).toMatchObject({ stop: 'cancelled' });
    expect(world.exists.size).toBe(0);
  });

  it('of a bounded run undoes what it had done', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(
      async (run: Run) => {
        await world.make(run, 'a');
        for (;;) run.budget.take('iterations');
      },
      { options: { worker: true, pollMs: 1e9 } },
    );
    expect(await life.start()).toMatchObject({ stop: 'bounded' });
    expect(world.exists.size).toBe(1); // a bound is no failure: the run can go on
    await life.runtime.cancel(RUN);
    await turns(100);
    expect(await life.runtime.handle(RUN).outcome()).toMatchObject({ stop: 'cancelled', rollback: { success: true } });
    expect(world.exists.size).toBe(0);
  });

  it('that comes after the function has ended changes nothing', async () => {
    const life = moving().open(async () => done(1));
    expect(await life.start()).toMatchObject({ stop: 'done' });
    await expect(life.runtime.cancel(RUN)).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
  });

  it('is one: a second one changes nothing', async () => {
    const stage = still();
    const life = stage.open(async (run: Run) => done(await run.wait({ name: 'go' })), {
      options: { suspendAfterMs: 1e9 },
    });
    const ended = life.start();
    await turns(10);
    await life.runtime.cancel(RUN, { why: 'first' });
    await life.runtime.cancel(RUN, { why: 'second' });
    expect(await ended).toMatchObject({ because: expect.stringContaining('first') });
    expect(await stage.events('cancel')).toHaveLength(1);
  });

  it('keeps a partial value that the code returns when it is told', async () => {
    const stage = still();
    const life = stage.open(
      async (run: Run) => {
        try {
          return done(await run.wait({ name: 'go' }));
        } catch {
          return done('half');
        }
      },
      { options: { suspendAfterMs: 1e9 } },
    );
    const ended = life.start();
    await turns(10);
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ stop: 'cancelled', partial: 'half' });
  });

  it('with an open INTENT resolves the doubt first, and undoes it when it happened [R2-DOUBT-CANCEL]', async () => {
    for (const happened of ['yes', 'no'] as const) {
      const stage = still();
      const undone: string[] = [];
      let made = 0;
      const agent = async (run: Run): Promise<Outcome<unknown>> =>
        done(
          await run.step('pay', null, () => ++made, {
            class: 'undoable',
            timeoutMs: 1000,
            verify: async () => (happened === 'yes' ? { happened, result: 7 } : { happened }),
            compensate: async (_input, result) => {
              undone.push(`undo ${result}`);
            },
          }),
        );
      await stage.crashed(agent, at('after', 'intent'));
      await stage.clock.advance(7000);
      const life = stage.open(agent);
      await life.runtime.cancel(RUN);
      const outcome = await life.resume();
      expect(outcome).toMatchObject({ stop: 'cancelled' });
      expect(undone).toEqual(happened === 'yes' ? ['undo 7'] : []);
      expect(made).toBe(0); // nothing is attempted again only to be undone
    }
  });

  it('with an open INTENT that nothing can prove waits for a person before it ends [R2-DOUBT-CANCEL] [R2-DOUBT-PERSON]', async () => {
    const stage = still();
    const undone: unknown[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> =>
      done(
        await run.step('pay', null, () => 1, {
          class: 'undoable',
          timeoutMs: 1000,
          compensate: async (_input, result) => {
            undone.push(result);
          },
        }),
      );
    await stage.crashed(agent, at('after', 'intent'));
    await stage.clock.advance(7000);
    const life = stage.open(agent);
    await life.runtime.cancel(RUN);
    const first = (await life.runtime.resume(RUN)).outcome();
    await stage.clock.advance(100);
    expect(await first).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    await answer(life.runtime, RUN, 'doubt:#0', { happened: true, result: 5 });
    expect(await life.resume()).toMatchObject({
      stop: 'cancelled',
      rollback: { success: true, entries: [{ status: 'COMPENSATED' }] },
    });
    expect(undone).toEqual([5]);
  });

  it('aborts an undoable effect in flight; one that had acted all the same is undone [R2-DOUBT-CANCEL]', async () => {
    const stage = still();
    const world = new Set<string>();
    const begun = gate();
    const life = stage.open(async (run: Run) =>
      done(
        await run.step(
          'slow',
          null,
          (_input, { signal }) =>
            new Promise<string>((_resolve, reject) => {
              world.add('made'); // it acted, and only then noticed the abort
              begun.open();
              signal.addEventListener('abort', () => reject(new Error('stopped half way')));
            }),
          {
            class: 'undoable',
            verify: async () => (world.has('made') ? { happened: 'yes', result: 'made' } : { happened: 'no' }),
            compensate: async () => {
              world.delete('made');
            },
          },
        ),
      ),
    );
    const ended = life.start();
    await begun.opened;
    await life.runtime.cancel(RUN);
    expect(await ended).toMatchObject({ stop: 'cancelled', rollback: { entries: [{ status: 'COMPENSATED' }] } });
    expect(world.size).toBe(0);
  });
});
