import { done, type Outcome, type Run } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN, still } from './stage.js';

describe('a run that wakes past its deadline', () => {
  it('is first replayed in peace: time that passes meanwhile ends nothing [R2-SHOW-BUDGET-RESUMED] [R2-DIVERGENCE]', async () => {
    const stage = still();
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('begin', null, () => 1, 'pure');
      return done(await run.wait({ name: 'never' }));
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 50; n++) await run.step('count', n, () => n, 'pure');
      return run.spawn(child, null, {});
    };
    const first = stage.open(agent);
    const rested = first.start(null, { deadline: stage.clock.now() + 1000 });
    await turns(200);
    await stage.clock.advance(100);
    expect(await rested).toMatchObject({ stop: 'suspended' });
    await stage.clock.advance(5000);

    const second = stage.open(agent);
    const woken = second.resume();
    for (let n = 0; n < 200; n++) {
      await stage.clock.advance(1); // real time does not stand still while a journal is read
      await turns(1);
    }
    expect(await woken).toMatchObject({ stop: 'bounded', bound: 'deadline' });
    expect((await second.runtime.get(RUN)).status).toBe('bounded');
  });

  it('undoes what a finished child did when it is cancelled [R2-SAGA-ORDER]', async () => {
    const stage = still();
    const exist = new Set<string>();
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      const rules = { class: 'undoable', compensate: async (name: string) => void exist.delete(name) } as const;
      return done(await run.step('put', 'a', (name) => exist.add(name).size, rules));
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 50; n++) await run.step('count', n, () => n, 'pure');
      await run.spawn(child, null, {});
      return done(await run.wait({ name: 'never' }));
    };
    const first = stage.open(agent);
    const rested = first.start(null, { deadline: stage.clock.now() + 1000 });
    await turns(200);
    await stage.clock.advance(100);
    await rested;
    await stage.clock.advance(5000);

    const second = stage.open(agent);
    await second.runtime.cancel(RUN);
    const woken = second.resume();
    for (let n = 0; n < 300; n++) {
      await stage.clock.advance(1);
      await turns(1);
    }
    expect(await woken).toMatchObject({ stop: 'cancelled', rollback: { entries: [{ status: 'COMPENSATED' }] } });
    expect([...exist]).toEqual([]);
  });
});

describe('a random number', () => {
  it('cannot be drawn inside an effect, which a replay would skip [R2-RUN-RANDOM] [R2-EFFECT-NESTED]', async () => {
    const life = moving().open(async (run: Run) => done(await run.step('draw', null, () => run.random(), 'pure')));
    expect(await life.start()).toMatchObject({ stop: 'failed', failure: { message: expect.stringContaining('run') } });
  });

  it('is another one in each generation [R2-RUN-RANDOM] [R2-RUN-CONTINUE]', async () => {
    const drawn: number[] = [];
    const life = moving().open(async (run: Run, given: unknown) => {
      drawn.push(run.random());
      if (given === 3) return done(null);
      return run.continueWith(((given ?? 0) as number) + 1);
    });
    await life.start();
    await life.runtime.handle(RUN).finished();
    expect(drawn).toHaveLength(4);
    expect(new Set(drawn).size).toBe(4);
  });
});

describe('a note', () => {
  it('told on the way out of a bound does not stand in for another one after it was lifted [R2-RUN-NOTE] [R2-RESUME-BUDGET]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run) => {
      try {
        for (let n = 0; n < 3; n++) run.budget.take('iterations');
      } catch (error) {
        run.note({ kind: 'gave up' });
        throw error;
      }
      run.note({ kind: 'got there' });
      return done(null);
    });
    expect(await life.start(null, { iterations: 2 })).toMatchObject({ stop: 'bounded' });
    expect(await life.resume({ budget: { iterations: 10 } })).toMatchObject({ stop: 'done' });
    expect((await stage.events('note')).map(({ event }) => event.kind)).toEqual(['gave up', 'got there']);
  });
});
