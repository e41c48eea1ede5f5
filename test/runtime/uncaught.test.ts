import { type Agent, budget, done } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';
import { at, eventsOf, moving, RUN } from './stage.js';

/** The handlers of the test runner would take what these agents leave behind for a fault of the test. */
function handled(handle: (error: unknown) => void): void {
  for (const event of ['unhandledRejection', 'uncaughtException'] as const) {
    const others = process.listeners(event as 'uncaughtException');
    process.removeAllListeners(event);
    process.on(event, handle);
    restore.push(() => {
      process.removeAllListeners(event);
      for (const listener of others) process.on(event, listener);
    });
  }
}
const restore: (() => void)[] = [];
afterEach(() => {
  for (const each of restore.splice(0)) each();
});

/** Leaves a rejection behind in a step, and waits for ever. */
const careless: Agent<unknown, string> = async (run) => {
  await run.step('look', null, async () => void Promise.reject(new Error('nobody looked')), 'pure');
  await run.wait({ name: 'never' });
  return done('fine');
};

describe('an error that nobody caught', () => {
  it('fails the run whose code left it, and no other [F-O5]', async () => {
    const stage = moving();
    const life = stage.open(careless);
    const other = stage.open(async (run) => done(await run.wait({ name: 'go' })));
    const blamed: (string | undefined)[] = [];
    handled((error) => blamed.push(other.runtime.blame(error), life.runtime.blame(error)));
    const { id } = await other.runtime.start('agent', null, { id: 'innocent', budget: budget({}) });
    expect(await life.start()).toMatchObject({
      stop: 'failed',
      failure: { code: 'UNCAUGHT', message: expect.stringContaining('nobody looked') },
    });
    expect(blamed).toEqual([undefined, RUN]);
    await other.runtime.signal(id, 'go', 'on');
    expect(await other.runtime.handle(id).finished()).toMatchObject({ stop: 'done', value: 'on' });
  });

  it('is found when it was thrown in a turn of its own, too', async () => {
    const stage = moving();
    const life = stage.open(async (run) => {
      await run.step(
        'turn',
        null,
        () => {
          setImmediate(() => {
            throw new Error('too late');
          });
          return null;
        },
        'pure',
      );
      return done(await run.wait({ name: 'never' }));
    });
    handled((error) => void life.runtime.blame(error));
    expect(await life.start()).toMatchObject({ stop: 'failed', failure: { code: 'UNCAUGHT' } });
  });

  it('undoes what the run did, also in a later life in which it does not happen again', async () => {
    const stage = moving();
    const undone: string[] = [];
    let lives = 0;
    const agent: Agent<unknown, string> = async (run) => {
      lives++;
      await run.step('book', null, async () => 'booked', {
        class: 'undoable',
        compensate: async () => void undone.push('unbooked'),
      });
      if (lives === 1) await run.step('slip', null, async () => void Promise.reject(new Error('slipped')), 'pure');
      else await run.step('slip', null, async () => undefined, 'pure');
      return done(String(await run.wait({ name: 'never' })));
    };
    let blame: (error: unknown) => void = () => undefined;
    handled((error) => blame(error));
    const first = stage.open(agent, { crash: at('after', 'stuck') });
    blame = (error) => void first.runtime.blame(error);
    first.start().catch(() => undefined);
    await first.crashed;
    first.die();
    expect(await stage.open(agent).resume()).toMatchObject({ stop: 'failed', failure: { code: 'UNCAUGHT' } });
    expect(undone).toEqual(['unbooked']);
    expect(eventsOf(await stage.entries(), 'stuck')).toHaveLength(1);
  });

  it('of nobody is nobody’s fault', () => {
    expect(moving().open(careless).runtime.blame(new Error('of the process'))).toBeUndefined();
  });
});
