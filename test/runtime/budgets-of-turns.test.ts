import { budget, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN } from './stage.js';

/** What the code asks of its budget in its own turn, without an effect, meets the budget that holds there. */

const work: Tool<unknown, string> = {
  name: 'work',
  description: 'Works.',
  effect: { class: 'idempotent', simulate: () => 'simulated' },
  execute: async () => 'worked',
};

/** Takes before it does anything, and acts on what is left. */
async function taker(run: Run): Promise<Outcome<unknown>> {
  run.budget.take('iterations');
  const left = run.budget.remaining('iterations');
  run.note({ kind: 'left', left });
  return done(await run.step('left', left, (seen) => seen, 'pure'));
}

describe('a child that takes from its budget at once', () => {
  it('goes on with its part of a larger budget, in this life and in every later one [F-X7] [F-X9]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const outcome = await run.spawn(taker, null, { share: 0.5 });
      if (outcome.stop !== 'done') return outcome;
      await run.wait({ name: 'go' });
      return outcome;
    };
    const life = stage.open(agent);
    expect(await life.start(null, { iterations: 1 })).toMatchObject({ stop: 'bounded', bound: 'iterations', limit: 0 });
    expect(await life.resume({ budget: { iterations: 1000 } })).toMatchObject({ stop: 'suspended' });
    life.die();
    const next = stage.open(agent);
    await next.runtime.signal(RUN, 'go');
    expect(await next.resume()).toMatchObject({ stop: 'done', value: 499 });
    expect((await stage.events('note')).map(({ event }) => event['left'])).toEqual([499]);
  });

  it('goes on beside others that live their past again under the budget of their time [F-X7] [F-X9]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const all = await run.all<unknown>(
        [
          async (on) => {
            const outcome = await on.spawn(taker, null, { iterations: 50 });
            if (outcome.stop !== 'done') throw new Error(outcome.stop);
            return outcome.value;
          },
          async (on) => {
            const seen: unknown[] = [];
            for (let n = 0; n < 3; n++) {
              seen.push(run.budget.remaining('iterations'));
              on.note({ kind: 'seen', n });
              await on.step('look', seen, () => n, 'pure');
            }
            run.budget.take('iterations', 3);
            return 'looked';
          },
        ],
        2,
      );
      return done(all.map((one) => (one.ok ? one.value : one.error.message)));
    };
    const life = stage.open(agent);
    expect(await life.start(null, { iterations: 0 })).toMatchObject({ stop: 'bounded' });
    expect(await life.resume({ budget: { iterations: 100 } })).toMatchObject({ stop: 'done', value: [49, 'looked'] });
    expect(await stage.events('note')).toHaveLength(4);
    const last = (await stage.entries()).findLast(({ event }) => event.type === 'run-end');
    const fork = await life.runtime.fork(RUN, { at: (last?.seq ?? 1) - 1, id: 'fork' });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: [49, 'looked'] });
  });
});

describe('a child that a fork begins in a turn of its past', () => {
  it('has its part of the budget of the fork before its code runs, also in a fork of the fork [F-X9] [F-X10]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      run.note({ kind: 'began' }); // the turn has left a trace
      run.budget.take('iterations');
      const outcome = await run.spawn(taker, null, { share: 0.5 });
      return outcome.stop === 'done' ? done(outcome.value) : outcome;
    });
    expect(await life.start(null, { iterations: 11 })).toMatchObject({ stop: 'done', value: 4 });
    const note = (await stage.entries()).find(({ event }) => event.type === 'note');
    const fork = await life.runtime.fork(RUN, { at: note?.seq ?? 0, id: 'fork', budget: budget({ iterations: 40 }) });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 19 });
    const [start] = await stage.events('spawn-start', 'fork');
    expect(start).toMatchObject({ late: true, limits: { iterations: 20 } });
    for (const { seq } of (await stage.entries('fork')).filter(({ event }) => event.type === 'complete')) {
      const again = await life.runtime.fork('fork', { at: seq, id: `again-${seq}` });
      expect(await again.outcome()).toMatchObject({ stop: 'done', value: 19 });
    }
  });
});

describe('a fork of a fork', () => {
  it('inherits the outcome of a child that the first fork let go on [F-X9]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const outcome = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => {
          for (let n = 0; n < 3; n++) await on.call(work, n);
          return done('all three');
        },
        null,
        { share: 0.5 },
      );
      await run.step('after', outcome.stop, () => 1, 'pure');
      return done(outcome.stop);
    });
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({ stop: 'done', value: 'bounded' });
    const end = (await stage.entries()).find(({ event }) => event.type === 'spawn-end');
    const fork = await life.runtime.fork(RUN, { at: end?.seq ?? 0, id: 'fork', budget: budget({ toolCalls: 40 }) });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 'done' });
    const since = (await stage.entries('fork')).findIndex(({ event }) => event.type === 'spawn-end');
    for (const { seq } of (await stage.entries('fork')).slice(since, -1)) {
      const again = await life.runtime.fork('fork', { at: seq, id: `again-${seq}` });
      expect(await again.outcome()).toMatchObject({ stop: 'done', value: 'done' });
    }
  });
});

describe('a model that reports more than was reserved', () => {
  const greedy = (): Session => {
    const model = scriptedModel({ talker: () => ({ text: 'x', usage: { input: 3, output: 500 } }) });
    return { name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 100 } };
  };

  it('carries its child past a bound, and a larger budget lets that child be done [F-X7]', async () => {
    const stage = moving();
    const session = greedy();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      void run.wait({ name: 'never' }).catch(() => undefined);
      return run.spawn(async (on: Run) => done((await on.ask(session, 'hello')).text), null, { share: 0.5 });
    });
    expect(await life.start(null, { tokensOut: 800 })).toMatchObject({
      stop: 'bounded',
      bound: 'tokensOut',
      limit: 400,
    });
    expect(await life.resume({ budget: { tokensOut: 8000 } })).toMatchObject({ stop: 'done', value: 'x' });
  });

  it('is not asked again side by side before the books know what it reported [F-C10]', async () => {
    const stage = moving();
    const session = greedy();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const moment = (on: Run, n: number) => on.step('moment', n, async () => n, 'pure');
      await run.all<unknown>(
        [
          (on) => on.ask(session, 'first'),
          ...[1, 2, 3, 4, 5, 6].map((n) => async (on: Run) => {
            for (let turn = 0; turn < n; turn++) await moment(on, turn);
            return on.ask(session, `then ${n}`);
          }),
        ],
        9,
      );
      return done('asked');
    });
    expect(await life.start(null, { tokensOut: 450 })).toMatchObject({ stop: 'bounded', bound: 'tokensOut' });
    let reported = 0;
    for (const { event } of await stage.entries()) {
      if (event.type === 'ask-end') reported += event.spent.tokensOut ?? 0;
      if (event.type === 'ask-start') expect(reported).toBeLessThanOrEqual(450);
    }
    expect(reported).toBeGreaterThan(450);
  });
});

describe('a child that was bounded in a lane of `all` that went on', () => {
  const agent = async (run: Run): Promise<Outcome<unknown>> => {
    const three = async (on: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 3; n++) await on.call(work, n);
      return done('all three');
    };
    const settled = await run.all<Outcome<unknown>>(
      [(on) => on.spawn(three, null, { share: 0.5 }), async (on) => done(await on.step('next', null, () => 1, 'pure'))],
      1,
    );
    for (const one of settled) if (one.ok && one.value.stop !== 'done') return one.value;
    return done('both');
  };

  it('keeps its outcome: a larger budget is refused with what to do instead, and that works [F-X7]', async () => {
    const stage = moving();
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    const end = (await stage.entries()).find(({ event }) => event.type === 'spawn-end')?.seq ?? -1;
    await expect(life.resume({ budget: { toolCalls: 40 } })).rejects.toThrow(
      `fork the run at entry ${end} with a larger budget`,
    );
    const fork = await life.runtime.fork(RUN, { at: end, id: 'fork', budget: budget({ toolCalls: 40 }) });
    expect(await fork.outcome()).toMatchObject({ stop: 'done', value: 'both' });
  });
});
