import { budget, done, memoryEngine, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN, still } from './stage.js';

type Effect = 'pure' | 'idempotent';

function acting(effect: Effect): { readonly tool: Tool<number, number>; readonly acted: number[] } {
  const acted: number[] = [];
  const tool: Tool<number, number> = {
    name: 'act',
    description: 'Acts.',
    effect,
    execute: async (n) => {
      acted.push(n);
      return n;
    },
  };
  return { tool, acted };
}

/** Every way in which two calls can be under way when the budget is used up. */
const ways: Readonly<Record<string, (run: Run, tool: Tool<number, number>) => Promise<unknown>>> = {
  'run.all': async (run, tool) => {
    const settled = await run.all(
      [1, 2, 3].map((n) => (branch: Run) => branch.call(tool, n)),
      3,
    );
    for (const result of settled) if (!result.ok) throw result.error;
    return settled.length;
  },
  'Promise.all': async (run, tool) => (await Promise.all([1, 2, 3].map((n) => run.call(tool, n)))).length,
  'run.first': async (run, tool) =>
    run.first([
      async (branch) => {
        for (const n of [1, 2]) await branch.call(tool, n);
        return 'first';
      },
      async (branch) => {
        for (const n of [3, 4, 5]) await branch.call(tool, n);
        return 'second';
      },
    ]),
  children: async (run, tool) => {
    const child = (n: number) =>
      run.spawn(
        async function child(inner): Promise<Outcome<unknown>> {
          await Promise.all([inner.call(tool, n), inner.call(tool, n + 1)]);
          return done(n);
        },
        null,
        { iterations: 1, shared: true },
      );
    const outcomes = await Promise.all([child(1), child(3)]);
    for (const { stop } of outcomes) if (stop !== 'done') throw new Error(`a child ended ${stop}`);
    return outcomes.length;
  },
};

describe('a bound that is reached while calls are under way side by side', () => {
  for (const [name, work] of Object.entries(ways)) {
    for (const effect of ['pure', 'idempotent'] as const) {
      it(`ends the run bounded, undoes nothing, and is lifted by a larger budget: ${name}, ${effect} [F-C1]`, async () => {
        const stage = moving();
        const { tool, acted } = acting(effect);
        const world: string[] = [];
        const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
          await run.step('book', null, () => void world.push('booked'), {
            class: 'undoable',
            compensate: async () => void world.push('unbooked'),
          });
          return done(await work(run, tool));
        });
        let outcome = await life.start(null, { toolCalls: 1 });
        const stops: string[] = [];
        while (outcome.stop === 'bounded' && stops.length < 8) {
          stops.push(outcome.stop);
          outcome = await life.resume({ budget: { toolCalls: outcome.limit + 1 } });
        }
        expect(outcome).toMatchObject({ stop: 'done' });
        expect(stops.length).toBeGreaterThan(0);
        expect(world).toEqual(['booked']);
        expect(new Set(acted).size).toBe(acted.length); // nothing was done twice
        expect(await stage.events('stuck')).toEqual([]);
      });
    }
  }

  it('holds for model calls in run.all too [F-C1]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: ['one', 'two', 'one again'] });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const settled = await run.all(
        [1, 2].map((n) => (branch: Run) => branch.ask(session, `${n}`)),
        2,
      );
      for (const result of settled) if (!result.ok) throw result.error;
      return done('both');
    });
    expect(await life.start(null, { modelCalls: 1 })).toMatchObject({ stop: 'bounded', bound: 'modelCalls' });
    expect(await life.resume({ budget: { modelCalls: 6 } })).toMatchObject({ stop: 'done', value: 'both' });
  });
});

describe('a run that got stuck on its way out of a bound', () => {
  it('goes on under a larger budget, where the code no longer comes to that place [F-C1]', async () => {
    const stage = still();
    const { tool } = acting('pure');
    const world: string[] = [];
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('book', null, () => void world.push('booked'), {
        class: 'undoable',
        compensate: async () => void world.push('unbooked'),
      });
      for (const n of [1, 2, 3]) {
        try {
          await run.call(tool, n);
        } catch {
          await new Promise(() => undefined); // something that does not go through the run
        }
      }
      return done('all three');
    });
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    expect(await stage.events('stuck')).toHaveLength(1);
    expect(await life.resume({ budget: { toolCalls: 5 } })).toMatchObject({ stop: 'done', value: 'all three' });
    expect(world).toEqual(['booked']);
  });

  it('is still stuck where no bound had to do with it [F-C1]', async () => {
    const engine = memoryEngine();
    const life = still(engine).open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.step('once', null, () => 1, 'pure');
      await new Promise(() => undefined);
      return done(null);
    });
    const handle = await life.runtime.start('agent', null, { id: RUN, budget: budget() });
    expect(await handle.outcome()).toMatchObject({ stop: 'failed', failure: { code: 'FOREIGN_AWAIT' } });
  });
});
