import { done, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, eventsOf, moving, RUN } from './stage.js';

interface State {
  readonly n: number;
}

const tool: Tool<number, number> = { name: 'count', description: 'Counts.', effect: 'pure', execute: async (n) => n };

describe('a long loop', () => {
  it('hands its state to a fresh generation, whose journal starts again [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const inputs: unknown[] = [];
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      inputs.push(input);
      const n = input?.n ?? 0;
      await run.call(tool, n);
      return n < 3 ? run.continueWith({ n: n + 1 }) : done(n);
    };
    const life = stage.open(agent as never);
    expect(await life.start()).toMatchObject({ stop: 'done', value: 3, usage: { toolCalls: 4 } });
    expect(inputs).toEqual([null, { n: 1 }, { n: 2 }, { n: 3 }]);
    const entries = await stage.entries();
    expect((await life.runtime.get(RUN)).generation).toBe(3);
    for (let generation = 0; generation < 4; generation++) {
      const own = entries.filter((entry) => entry.generation === generation);
      expect(own.map(({ seq }) => seq)).toEqual(own.map((_entry, index) => index));
      expect(own.length).toBeLessThan(8); // what a resume has to replay does not grow
    }
  });

  it('carries budget and called tools into the next generation [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      const n = input?.n ?? 0;
      await run.call(tool, n);
      run.budget.take('iterations');
      return run.continueWith({ n: n + 1 });
    };
    expect(await stage.open(agent as never).start(null, { toolCalls: 3 })).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      limit: 3,
      usage: { toolCalls: 3, iterations: 3 },
    });
    expect(
      eventsOf(await stage.entries(), 'generation-start').map(({ state }) => [
        state.calledTools,
        state.spent.iterations,
      ]),
    ).toEqual([
      [{ count: 1 }, 1],
      [{ count: 2 }, 2],
      [{ count: 3 }, 3],
    ]);
  });

  it('carries active time into the next generation', async () => {
    const stage = moving();
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      await run.step('slow', null, () => new Promise((resolve) => stage.clock.after(400, () => resolve(null))), 'pure');
      return run.continueWith({ n: (input?.n ?? 0) + 1 });
    };
    const outcome = await stage.open(agent as never).start(null, { wallMs: 1000 });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'wallMs' });
    expect(await stage.events('generation-start')).toHaveLength(2);
  });

  it('resumes in the generation it was in, under a larger budget too [R2-RUN-CONTINUE]', async () => {
    const stage = moving();
    const seen: number[] = [];
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      const n = input?.n ?? 0;
      seen.push(n);
      await run.call(tool, n);
      return n === 4 ? done('end') : run.continueWith({ n: n + 1 });
    };
    const life = stage.open(agent as never);
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded' });
    expect(seen).toEqual([0, 1, 2]);
    expect(await life.resume({ budget: { toolCalls: 9 } })).toMatchObject({ stop: 'done', usage: { toolCalls: 5 } });
    expect(seen).toEqual([0, 1, 2, 2, 3, 4]);
  });

  it.each(['before', 'after'] as const)('survives a crash %s the turn of the generation', async (when) => {
    const stage = moving();
    let executed = 0;
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      const n = input?.n ?? 0;
      await run.step('act', n, () => ++executed, 'idempotent');
      return n < 2 ? run.continueWith({ n: n + 1 }) : done(n);
    };
    await stage.crashed(agent as never, at(when, 'generation-start'));
    expect(await stage.open(agent as never).resume()).toMatchObject({ stop: 'done', value: 2 });
    expect(executed).toBeLessThanOrEqual(4);
    expect(await stage.events('generation-end')).toHaveLength(2);
  });

  it.each<[string, (run: Run) => unknown]>([
    [
      'an open effect',
      (run) => {
        run.wait({ name: 'never' }).catch(() => undefined);
        run.continueWith(1);
      },
    ],
    [
      'an open branch',
      (run) =>
        run
          .all(
            [
              async (on) => {
                await on.step('x', null, () => 1, 'pure');
                run.continueWith(1);
              },
              (on) => on.sleep(1),
            ],
            2,
          )
          .then((results) => {
            const [first] = results;
            if (first?.ok === false) throw first.error;
          }),
    ],
    [
      'a child',
      (run) =>
        run
          .spawn(
            async (on: Run) => {
              on.continueWith(1);
            },
            null,
            { share: 0.5 },
          )
          .then((outcome) => {
            if (outcome.stop === 'failed') throw Object.assign(new Error(outcome.because), outcome.failure);
          }),
    ],
  ])('is refused to continue with %s [R2-RUN-CONTINUE]', async (_what, use) => {
    const outcome = await moving()
      .open(
        async (run: Run) => {
          try {
            await use(run);
          } catch (error) {
            return done((error as { readonly code: string }).code);
          }
          return done('was not refused');
        },
        { options: { suspendAfterMs: 1000 } },
      )
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: 'CONTINUE_REFUSED' });
  });

  it('refuses a state that cannot be stored [R2-EFFECT-ENCODED]', async () => {
    expect(
      await moving()
        .open(async (run: Run) => run.continueWith({ at: new Date(0) }))
        .start(),
    ).toMatchObject({ stop: 'failed', failure: { code: 'VALUE_NOT_SERIALIZABLE' } });
  });

  it('keeps the signals that nobody has taken yet', async () => {
    const stage = moving();
    const agent = async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      if (input === null) {
        await run.wait({ name: 'first' });
        return run.continueWith({ n: 1 });
      }
      return done(await run.wait({ name: 'second' }));
    };
    const life = stage.open(agent as never);
    await life.start();
    await life.runtime.signal(RUN, 'second', 'kept');
    await life.runtime.signal(RUN, 'first');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'kept' });
  });
});

describe('a run whose `first` was lost by branches inside branches', () => {
  const losers: Readonly<Record<string, (branch: Run) => Promise<unknown>>> = {
    'first of waits': (branch) => branch.first([(on) => on.wait({ name: 'a' }), (on) => on.wait({ name: 'b' })]),
    'all of sleeps': (branch) => branch.all([(on) => on.sleep(5_000), (on) => on.sleep(5_000)], 2),
    'a child with all of sleeps': (branch) =>
      branch.spawn(
        async (child) => {
          await child.all([(on) => on.sleep(5_000), (on) => on.sleep(5_000)], 2);
          return done(1);
        },
        null,
        {},
      ),
  };
  it.each(Object.keys(losers))('goes on in a new generation after %s [F-C4]', async (name) => {
    const life = moving().open((async (run: Run, input: State | null): Promise<Outcome<unknown>> => {
      if (input !== null) return done('second generation');
      await run.first<unknown>([(on) => on.step('win', null, () => 'won', 'idempotent'), losers[name] as never]);
      return run.continueWith({ n: 1 });
    }) as never);
    expect(await life.start()).toMatchObject({ stop: 'done', value: 'second generation' });
  });
});
