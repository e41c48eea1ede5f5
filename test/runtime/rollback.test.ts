import { done, failed, type Outcome, type Run, type Seams } from 'flyball';
import { describe, expect, it } from 'vitest';
import { answer, moving, RUN } from './stage.js';
import { failure, World } from './undo-world.js';

describe('a failure', () => {
  it.each<[string, () => Promise<Outcome<unknown>>]>([
    ['returned', async () => failed(failure)],
    [
      'thrown',
      async () => {
        throw new Error('it went wrong');
      },
    ],
  ])('that is %s undoes what is done [R2-SAGA-FAILURE]', async (_what, end) => {
    const world = new World();
    const outcome = await moving()
      .open(async (run: Run) => {
        await world.make(run, 'a');
        await world.make(run, 'b');
        return end();
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      because: 'it went wrong',
      rollback: { success: true, entries: [{ name: 'make b' }, { name: 'make a' }] },
    });
    expect(world.exists.size).toBe(0);
  });

  it.each<[string, Outcome<unknown>, Seams]>([
    ['an outcome that cannot be stored', done(new Date(0)), {}],
    ['an output guard', done('x'), { output: [() => async () => failed(failure)] }],
  ])('that is made by %s undoes what is done [R2-SAGA-FAILURE]', async (_what, ending, seams) => {
    const world = new World();
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await world.make(run, 'a');
      return ending;
    };
    const outcome = await stage.open(agent, { seams }).start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      rollback: { success: true, entries: [{ name: 'make a', status: 'COMPENSATED' }] },
      acts: [{ name: 'make a', undone: true }],
    });
    expect(world.exists.size).toBe(0);
  });

  it.each([
    ['done', done('x')],
    ['blocked', { stop: 'blocked', because: 'no access' } as Outcome<unknown>],
    ['degraded', { stop: 'degraded', value: 1, because: 'half' } as Outcome<unknown>],
  ])('is what %s is not: nothing is undone', async (_stop, ending) => {
    const world = new World();
    const outcome = await moving()
      .open(async (run: Run) => {
        await world.make(run, 'a');
        return ending;
      })
      .start();
    expect(outcome.stop).toBe(ending.stop);
    expect(world.exists.size).toBe(1);
  });

  it('reports what cannot be undone, and undoes the rest [R2-SAGA-IRREVERSIBLE]', async () => {
    const stage = moving();
    const world = new World();
    const life = stage.open(async (run: Run) => {
      await world.make(run, 'a');
      await run.step('send', null, () => 'sent', { class: 'irreversible' });
      await run.step('touch', null, () => 'touched', 'idempotent');
      await run.step('read', null, () => 1, 'pure');
      await world.make(run, 'b');
      return failed(failure);
    });
    await life.start();
    await answer(life.runtime, RUN, 'approve:#1', { verdict: 'approve' });
    expect(await life.resume()).toMatchObject({
      stop: 'failed',
      rollback: {
        success: false,
        attention: 'requires manual intervention',
        entries: [
          { name: 'make b', status: 'COMPENSATED' },
          { name: 'touch', status: 'CANNOT_ROLLBACK', note: expect.stringContaining('no compensation') },
          { name: 'send', status: 'CANNOT_ROLLBACK', note: expect.stringContaining('irreversible') },
          { name: 'make a', status: 'COMPENSATED' },
        ],
      },
    });
    expect(world.exists.size).toBe(0);
  });

  it('of a compensation alerts an operator after some attempts, and the others still run [R2-SAGA-ALERT]', async () => {
    const stage = moving();
    const world = new World();
    world.failing = 3;
    const outcome = await stage
      .open(
        async (run: Run) => {
          await world.make(run, 'a');
          await world.make(run, 'b');
          return failed(failure);
        },
        { options: { compensationAttempts: 3 } },
      )
      .start();
    expect(outcome).toMatchObject({
      rollback: {
        success: false,
        attention: 'requires manual intervention',
        entries: [
          {
            name: 'make b',
            status: 'COMPENSATION_FAILED',
            note: expect.stringContaining('does not let go; requires manual intervention'),
          },
          { name: 'make a', status: 'COMPENSATED' },
        ],
      },
    });
    expect(await stage.events('operator-alert')).toMatchObject([
      { alert: 'compensation_failed', effect: '#1', why: 'the world does not let go' },
    ]);
    expect(world.keys).toEqual(['run:0:#1!undo', 'run:0:#1!undo', 'run:0:#1!undo', 'run:0:#0!undo']);
    expect([...world.exists]).toEqual(['b']);
  });

  it('of a compensation that passes is not reported', async () => {
    const world = new World();
    world.failing = 2;
    const outcome = await moving()
      .open(async (run: Run) => {
        await world.make(run, 'a');
        return failed(failure);
      })
      .start();
    expect(outcome).toMatchObject({ rollback: { success: true } });
  });

  it('of an effect leaves nothing of that effect to undo', async () => {
    const world = new World();
    const outcome = await moving()
      .open(async (run: Run) => {
        await world.make(run, 'a');
        await run.step(
          'fails',
          null,
          () => {
            throw new Error('no');
          },
          {
            class: 'undoable',
            compensate: async () => {
              world.log.push('undo fails');
            },
          },
        );
        return done(null);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', because: 'no', rollback: { entries: [{ name: 'make a' }] } });
    expect(world.log).toEqual(['make a', 'undo a (a!)']);
  });
});
