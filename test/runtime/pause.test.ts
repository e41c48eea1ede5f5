import { done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { gate, moving, RUN, still } from './stage.js';

describe('a pause', () => {
  it('lets the running effect end, starts nothing new, and a resume goes on from there [R2-PAUSE] [R2-FAILURE-HUMAN]', async () => {
    const stage = still();
    const hold = gate<string>();
    const made: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await run.step(
        'first',
        null,
        () => {
          made.push('first');
          return hold.opened;
        },
        'idempotent',
      );
      const second = await run.step(
        'second',
        null,
        () => {
          made.push('second');
          return 2;
        },
        'idempotent',
      );
      return done([first, second]);
    };
    const life = stage.open(agent);
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN, { by: 'ada' });
    await turns(10);
    expect(made).toEqual(['first']);
    expect((await life.runtime.get(RUN)).status).toBe('running');
    hold.open('one');
    expect(await rested).toMatchObject({ stop: 'suspended', paused: true });
    expect(made).toEqual(['first']);
    expect((await life.runtime.get(RUN)).status).toBe('paused');
    expect(await stage.events('run-pause')).toEqual([{ type: 'run-pause', by: 'ada' }]);
    expect(await stage.events('complete')).toMatchObject([{ id: '#0', result: 'one' }]);

    expect(await life.resume({ by: 'grace' })).toMatchObject({ stop: 'done', value: ['one', 2] });
    expect(made).toEqual(['first', 'second']);
    expect(await stage.events('run-resume')).toEqual([{ type: 'run-resume', by: 'grace' }]);
  });

  it('lets all branches come to rest first [R2-PAUSE]', async () => {
    const stage = still();
    const holds = [gate<number>(), gate<number>()];
    const made: string[] = [];
    const life = stage.open(async (run: Run) => {
      await run.all(
        holds.map((hold, n) => async (on: Run) => {
          await on.step('hold', n, () => hold.opened, 'pure');
          await on.step('next', n, () => made.push(`next ${n}`), 'pure');
        }),
        2,
      );
      return done(made.length);
    });
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    holds[0]?.open(0);
    await turns(10);
    expect((await life.runtime.get(RUN)).status).toBe('running');
    holds[1]?.open(1);
    expect(await rested).toMatchObject({ paused: true });
    expect(made).toEqual([]);
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 2 });
  });

  it('holds a waiting run, which keeps the signals that come meanwhile [R2-PAUSE]', async () => {
    const stage = still();
    const agent = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'go' }));
    const life = stage.open(agent, { options: { suspendAfterMs: 1e9 } });
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    expect(await rested).toMatchObject({ stop: 'suspended', paused: true, waiting: [{ name: 'go' }] });
    await life.runtime.signal(RUN, 'go', 'kept');
    expect((await life.runtime.get(RUN)).status).toBe('paused');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'kept' });
  });

  it('holds a suspended run when it wakes [R2-PAUSE]', async () => {
    const stage = moving();
    const made: number[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.wait({ name: 'go' });
      await run.step('act', null, () => made.push(1), 'idempotent');
      return done(null);
    };
    const life = stage.open(agent, { options: { worker: true, pollMs: 1e9 } });
    await life.start();
    await life.runtime.pause(RUN);
    await life.runtime.signal(RUN, 'go');
    await turns(200);
    expect((await life.runtime.get(RUN)).status).toBe('paused');
    expect(made).toEqual([]);
    expect(await life.resume()).toMatchObject({ stop: 'done' });
    expect(made).toEqual([1]);
  });

  it('that was taken back before it took effect changes nothing', async () => {
    const stage = still();
    const hold = gate<number>();
    const life = stage.open(async (run: Run) =>
      done([await run.step('slow', null, () => hold.opened, 'pure'), await run.step('next', null, () => 2, 'pure')]),
    );
    const rested = life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    await life.runtime.resume(RUN);
    await turns(10);
    hold.open(1);
    expect(await rested).toMatchObject({ stop: 'done', value: [1, 2] });
  });

  it('survives a crash of its owner before the safe point', async () => {
    const stage = still();
    const hold = gate<number>();
    const made: string[] = [];
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step(
        'first',
        null,
        () => {
          made.push('first');
          return hold.opened;
        },
        'pure',
      );
      return done(await run.step('second', null, () => made.push('second'), 'pure'));
    };
    const life = stage.open(agent);
    void life.start();
    await turns(10);
    await life.runtime.pause(RUN);
    await turns(10);
    life.die();
    hold.open(1);
    const worker = stage.open(agent, { options: { worker: true } });
    await turns(60);
    expect((await worker.runtime.get(RUN)).status).toBe('paused');
    expect(made).not.toContain('second');
  });

  it('of a run that has ended is refused [R2-RESUME-TERMINAL]', async () => {
    const life = moving().open(async () => done(1));
    await life.start();
    await expect(life.runtime.pause(RUN)).rejects.toMatchObject({ code: 'ALREADY_TERMINAL' });
  });
});
