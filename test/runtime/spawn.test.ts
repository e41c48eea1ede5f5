import { done, failed, type Outcome, type Run } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN } from './stage.js';

describe('a child', () => {
  it('runs in a scope of its own and sees only its input [R2-RUN-SPAWN]', async () => {
    const stage = moving();
    const input = { list: [1] };
    async function child(run: Run, given: { list: number[] }): Promise<Outcome<unknown>> {
      given.list.push(2);
      return done({ path: run.path, got: given.list, id: run.id, subject: run.subject });
    }
    const outcome = await stage
      .open(async (run: Run) => {
        const result = await run.spawn(child, input, { share: 0.5 });
        return done({ result, mine: input.list });
      })
      .start();
    expect(outcome).toMatchObject({
      value: { result: { stop: 'done', value: { path: '/child.0', got: [1, 2], id: RUN } }, mine: [1] },
    });
  });

  it('ends as an outcome for its parent, however it ends [R2-RUN-SPAWN]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        const ends = [
          await run.spawn(async () => done(1), null, { share: 0.1 }),
          await run.spawn(
            async () => {
              throw new Error('child broke');
            },
            null,
            { share: 0.1 },
          ),
          await run.spawn(async () => failed({ code: 'INPUT_INVALID', message: 'no', retryable: false }), null, {
            share: 0.1,
          }),
          await run.spawn(async () => ({ stop: 'blocked', because: 'no key' }) as Outcome<unknown>, null, {
            share: 0.1,
          }),
          await run.spawn(async () => done(new Date(0)), null, { share: 0.1 }),
        ];
        return done(
          ends.map((end) =>
            [end.stop, 'because' in end ? end.because : undefined].filter((part) => part !== undefined),
          ),
        );
      })
      .start();
    expect(outcome).toMatchObject({
      value: [
        ['done'],
        ['failed', 'child broke'],
        ['failed', 'no'],
        ['blocked', 'no key'],
        ['failed', expect.stringContaining('Date')],
      ],
    });
  });

  it('that has finished is answered without running it again [R2-RUN-SPAWN]', async () => {
    const stage = moving();
    let ran = 0;
    const grand = async (run: Run): Promise<Outcome<unknown>> =>
      done(await run.step('x', null, () => ++ran, 'idempotent'));
    const child = async (run: Run): Promise<Outcome<unknown>> => {
      ran += 10;
      return run.spawn(grand, null, { share: 0.5 });
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const result = await run.spawn(child, null, { toolCalls: 5 });
      await run.wait({ name: 'go' });
      return done([result, run.budget.remaining('toolCalls')]);
    };
    const life = stage.open(agent);
    await life.start(null, { toolCalls: 20 });
    expect(ran).toBe(11);
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: [{ stop: 'done', value: 11 }, 20] });
    expect(ran).toBe(11);
  });

  it('that had not finished goes on where it was [R2-RUN-SPAWN]', async () => {
    const stage = moving();
    const made: string[] = [];
    const child = async (run: Run, name: string): Promise<Outcome<unknown>> => {
      await run.step('before', name, () => made.push(`${name} before`), 'idempotent');
      const said = await run.wait({ name });
      await run.step('after', name, () => made.push(`${name} after`), 'idempotent');
      return done(said);
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const both = await run.all(
        [(on) => on.spawn(child, 'a', { share: 0.3 }), (on) => on.spawn(child, 'b', { share: 0.3 })],
        2,
      );
      return done(both.map((one) => one.ok && one.value.stop === 'done' && one.value.value));
    };
    const life = stage.open(agent);
    await life.start();
    await life.runtime.signal(RUN, 'b', 'B');
    await life.resume();
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'a', 'A');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: ['A', 'B'] });
    expect(made).toEqual(['a before', 'b before', 'b after', 'a after']);
  });

  it('needs a slice of the budget', async () => {
    expect(
      await moving()
        .open(async (run: Run) => run.spawn(async () => done(1), null, undefined as never))
        .start(),
    ).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID', message: expect.stringContaining('slice') } });
  });

  it('tells in its outcome what it spent', async () => {
    const outcome = await moving()
      .open(async (run: Run) =>
        run.spawn(
          async (on: Run) => {
            on.budget.take('iterations', 3);
            return done(null);
          },
          null,
          { iterations: 5 },
        ),
      )
      .start();
    expect(outcome).toMatchObject({ usage: { iterations: 3 } });
  });

  it('with a fault of its own kind, a cycle in its input, fails with a sentence', async () => {
    const cycle: Record<string, unknown> = {};
    cycle['self'] = cycle;
    const outcome = await moving()
      .open(async (run: Run) => done(await run.spawn(async () => done(1), cycle, { share: 0.5 })))
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'VALUE_NOT_SERIALIZABLE' } });
  });
});

describe('the models that answered', () => {
  it('are those of the children too, also where the children are not run again [F-T6]', async () => {
    const session = (id: string) => ({
      name: 's',
      model: scriptedModel({ s: () => 'hello' }, { id }),
      setup: 'You talk.',
    });
    const inner = session('house/inner');
    const [outer, unused] = [session('house/outer'), session('house/unused')];
    expect(unused.model.requests).toEqual([]);
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.scope('own').ask(outer, 'Hi.');
      await run.spawn(async (child) => done((await child.ask(inner, 'Hi.')).text), null, { share: 0.5 });
      await run.wait({ name: 'go' });
      return done([run.models(), run.scope('own').models()]);
    };
    const first = stage.open(agent);
    await first.start();
    first.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ value: [['house/inner', 'house/outer'], ['house/outer']] });
    expect(inner.model.requests).toHaveLength(1);
  });
});
