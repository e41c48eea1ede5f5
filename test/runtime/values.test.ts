import { done, type EffectError, type Outcome, type Run, type Tool } from 'flyball';
import { findForeignAwaits } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { type Life, moving, RUN, still } from './stage.js';

async function caught(work: () => Promise<unknown>): Promise<EffectError> {
  try {
    await work();
  } catch (error) {
    return error as EffectError;
  }
  throw new Error('It did not fail.');
}

/** Runs the agent, then answers a second execution from the journal alone: both must end alike. */
async function twice(agent: (run: Run) => Promise<unknown>): Promise<readonly unknown[]> {
  const stage = moving();
  const values: unknown[] = [];
  const code = async (run: Run): Promise<Outcome<unknown>> => {
    values.push(await agent(run));
    await run.wait({ name: 'go' });
    return done(null);
  };
  const life = stage.open(code);
  await life.start();
  life.die();
  const second = stage.open(code);
  await second.runtime.signal(RUN, 'go');
  expect(await second.resume()).toMatchObject({ stop: 'done' });
  expect(values).toHaveLength(2);
  return values;
}

describe('results', () => {
  it('reach the code after encode and decode, live too [R2-EFFECT-ENCODED] [V10.1]', async () => {
    const kept = { list: [1], gone: undefined as number | undefined };
    const [live, replayed] = await twice(async (run) => {
      const value = await run.step('make', null, () => kept, 'pure');
      kept.list.push(99); // the effect's own object is not what the code got
      return { same: value === kept, value: structuredClone(value), keys: Object.keys(value) };
    });
    expect(live).toEqual({ same: false, value: { list: [1] }, keys: ['list'] });
    expect(replayed).toEqual(live);
  });

  it('that change in the code do not change in the journal [V10.3]', async () => {
    const [, replayed] = await twice(async (run) => {
      const value = await run.step('make', null, () => ({ n: 1 }), 'pure');
      const before = value.n;
      value.n = 5;
      return before;
    });
    expect(replayed).toBe(1);
  });

  it('of no value are undefined both times', async () => {
    expect(await twice((run) => run.step('nothing', null, () => undefined, 'pure'))).toEqual([undefined, undefined]);
  });

  it('as long texts come back whole', async () => {
    const text = 'long '.repeat(500);
    expect(await twice((run) => run.step('read', null, () => ({ text }), 'pure'))).toEqual([{ text }, { text }]);
  });

  it.each([
    ['a Date', () => new Date(0), /Date/],
    ['a function', () => ({ f: () => 1 }), /function/],
    ['NaN', () => ({ n: Number.NaN }), /NaN/],
  ] as const)(
    'that cannot be stored fail the effect with a sentence, once: %s [R2-EFFECT-ENCODED]',
    async (_what, make, message) => {
      let executed = 0;
      const errors = await twice(async (run) => {
        const error = await caught(() =>
          run.step<null, unknown>(
            'bad',
            null,
            () => {
              executed++;
              return make();
            },
            'idempotent',
          ),
        );
        return [error.code, message.test(error.message)];
      });
      expect(errors).toEqual([
        ['VALUE_NOT_SERIALIZABLE', true],
        ['VALUE_NOT_SERIALIZABLE', true],
      ]);
      expect(executed).toBe(1); // it took place; repeating it would be the worse failure
    },
  );

  it('of a tool that cannot be stored are an observation', async () => {
    const tool: Tool<null, unknown> = {
      name: 'bad',
      description: 'Bad.',
      effect: 'idempotent',
      execute: async () => ({ big: 1n }),
    };
    const [live] = await twice((run) => run.call(tool, null));
    expect(live).toMatchObject({
      ok: false,
      failure: { code: expect.stringMatching(/VALUE_NOT_SERIALIZABLE|EFFECT_FAILED/) },
    });
  });
});

describe('inputs', () => {
  it('that cannot be stored fail at once, before the effect [R2-EFFECT-ENCODED] [V10.2]', async () => {
    let executed = 0;
    const outcome = await moving()
      .open(async (run: Run) => {
        const error = await caught(() => run.step('send', { at: new Date(0) }, () => ++executed, 'idempotent'));
        return done([error.code, error.message]);
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'done',
      value: ['VALUE_NOT_SERIALIZABLE', expect.stringMatching(/\.at: a Date/)],
    });
    expect(executed).toBe(0);
  });

  it.each([['pure'], ['idempotent']] as const)(
    'with a cycle are refused with a sentence for a %s effect',
    async (effectClass) => {
      const cycle: Record<string, unknown> = {};
      cycle['self'] = cycle;
      const outcome = await moving()
        .open(async (run: Run) => {
          const error = await caught(() => run.step('send', cycle, () => 1, effectClass));
          return done(error.code);
        })
        .start();
      expect(outcome).toMatchObject({ stop: 'done', value: 'VALUE_NOT_SERIALIZABLE' });
    },
  );

  it('of a run are refused with a sentence when they cannot be stored [R2-BAD-TYPE] [V10.2]', async () => {
    const life: Life = moving().open(async () => done(1));
    await expect(life.start({ when: new Date(0) })).rejects.toMatchObject({
      code: 'VALUE_NOT_SERIALIZABLE',
      message: expect.stringContaining('.when'),
    });
    expect((await life.runtime.list()).runs).toEqual([]);
  });

  it('of a run are what the code gets, not the object that was passed', async () => {
    const input = { n: 1 };
    const life = moving().open(async (run: Run, got: { n: number }) => {
      input.n = 2;
      await run.step('x', null, () => null, 'pure');
      return done(got.n);
    });
    expect(await life.start(input)).toMatchObject({ value: 1 });
  });
});

describe('failures', () => {
  it('reach the code with code, original code and verdict, live and on replay alike [R2-EFFECT-ENCODED]', async () => {
    const [live, replayed] = await twice(async (run) => {
      const error = await caught(() =>
        run.step(
          'fetch',
          null,
          () => {
            throw Object.assign(new TypeError('no route'), { code: 'EHOSTUNREACH', retryable: true, socket: {} });
          },
          'pure',
        ),
      );
      return {
        name: error.name,
        code: error.code,
        originalCode: error.originalCode,
        retryable: error.retryable,
        message: error.message,
        own: 'socket' in error,
      };
    });
    expect(live).toEqual({
      name: 'EffectError',
      code: 'EFFECT_FAILED',
      originalCode: 'EHOSTUNREACH',
      retryable: true,
      message: 'no route',
      own: false,
    });
    expect(replayed).toEqual(live);
  });

  it('of the agent itself end the run with their message', async () => {
    const outcome = await moving()
      .open(async () => {
        throw new Error('lost the thread');
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      because: 'lost the thread',
      failure: { message: 'lost the thread' },
    });
  });

  it('to return an outcome are said in a sentence [R2-BAD-TYPE]', async () => {
    const outcome = await moving()
      .open((async () => ({ answer: 42 })) as never)
      .start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'CONFIG_INVALID', message: expect.stringContaining('Return done(value)') },
    });
  });

  it('to store the outcome are a failure of the run, not of the journal', async () => {
    const outcome = await moving()
      .open(async () => done(new Date(0)))
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'VALUE_NOT_SERIALIZABLE' } });
  });
});

describe('inside an effect', () => {
  it.each<[string, (run: Run) => unknown]>([
    ['step', (run) => run.step('inner', null, () => 1, 'pure')],
    ['sleep', (run) => run.sleep(1)],
    ['wait', (run) => run.wait({ name: 'x' })],
    ['spawn', (run) => run.spawn(async () => done(1), null, { share: 0.5 })],
    ['all', (run) => run.all([async () => 1], 1)],
    ['note', (run) => run.note({ kind: 'x' })],
    ['take', (run) => run.budget.take('iterations')],
    ['a scope', (run) => run.scope('s').step('inner', null, () => 1, 'pure')],
  ])('using the run throws: %s [R2-EFFECT-NESTED]', async (_what, use) => {
    const outcome = await moving()
      .open(async (run: Run) => {
        const error = await caught(() =>
          run.step(
            'outer',
            null,
            async () => {
              await use(run);
              return null;
            },
            'pure',
          ),
        );
        return done(error.code);
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done', value: 'RUN_INSIDE_EFFECT' });
  });
});

describe('awaiting something foreign', () => {
  it.each<[string, () => Promise<unknown>]>([
    ['a raw timer', () => new Promise((resolve) => setTimeout(resolve, 200))],
    ['a promise that nobody settles', () => new Promise(() => {})],
  ])('is reported as FOREIGN_AWAIT: %s [R2-FOREIGN-AWAIT]', async (_what, foreign) => {
    const outcome = await moving()
      .open(async (run: Run) => {
        await run.step('first', null, () => 1, 'pure');
        await foreign();
        return done(null);
      })
      .start();
    expect(outcome).toMatchObject({
      stop: 'failed',
      failure: { code: 'FOREIGN_AWAIT', message: expect.stringContaining('run.step') },
    });
  });

  it('is found with its line by the testing kit [R2-FOREIGN-AWAIT]', async () => {
    const life = still().open(async (run: Run) => {
      await run.step('fine', null, () => new Promise((resolve) => setTimeout(() => resolve(null), 1)), 'pure');
      await new Promise((resolve) => setTimeout(resolve, 200));
      return done(null);
    });
    const { found } = await findForeignAwaits(() => life.start());
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ type: 'Timeout', at: expect.stringContaining('values.test.ts') });
  });

  it('is not suspected of code that computes for many microtasks', async () => {
    const outcome = await moving()
      .open(async () => {
        for (let turn = 0; turn < 10_000; turn++) await Promise.resolve();
        return done('computed');
      })
      .start();
    expect(outcome).toMatchObject({ stop: 'done' });
  });
});
