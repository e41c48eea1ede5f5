import { done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { VIRTUAL_START } from '../../packages/flyball/src/testing/virtual-clock.js';
import { counter, forever, slow } from './endless.js';
import { gate, moving, RUN, still } from './stage.js';

describe('a child', () => {
  it('is bounded by its own slice, and its parent goes on [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-CARVE]', async () => {
    const { tool, executed } = counter();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn((on: Run) => forever(on, tool), null, { toolCalls: 2 });
      await run.call(tool, 99);
      return done({ child, left: run.budget.remaining('toolCalls') });
    });
    expect(await life.start(null, { toolCalls: 10 })).toMatchObject({
      stop: 'done',
      value: { child: { stop: 'bounded', bound: 'toolCalls', limit: 2, usage: { toolCalls: 2 } }, left: 7 },
      usage: { toolCalls: 3 },
    });
    expect(executed).toEqual([0, 1, 99]);
  });

  it.each([
    'iterations',
    'modelCalls',
    'toolCalls',
    'tokensIn',
    'tokensOut',
    'costUsd',
    'filesChanged',
    'linesChanged',
  ] as const)('is bounded alone on %s [R2-SHOW-BUDGET-NESTED]', async (axis) => {
    const model = {
      ...scriptedModel({ talker: () => ({ text: 'ok', usage: { input: 1, output: 1 } }) }),
      price: { input: 1_000_000, output: 0 },
      countTokens: () => 1,
    };
    const session: Session = { name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 1 } };
    const { tool } = counter();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run) => {
          for (let n = 0; ; n++) {
            if (axis === 'iterations') on.budget.take(axis);
            else if (axis === 'filesChanged' || axis === 'linesChanged') await on.call(changing(axis), n);
            else if (axis === 'toolCalls') await on.call(tool, n);
            else await on.ask(session, 'go on');
          }
        },
        null,
        { [axis]: 3 },
      );
      return done(child);
    });
    expect(await life.start(null, { costUsd: 1000 })).toMatchObject({
      stop: 'done',
      value: { stop: 'bounded', bound: axis, limit: 3, usage: { [axis]: 3 } },
    });
  });

  it('is ended by a bound of its parent, which ends the parent too [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-DEBIT]', async () => {
    const { tool, executed } = counter();
    const seen: unknown[] = [];
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.all<unknown>(
        [
          async (on) => {
            seen.push(await on.spawn((child: Run) => forever(child, tool), null, { shared: true })); // all axes
          },
          (on) => on.call(tool, 99),
        ],
        2,
      );
      return done(null);
    });
    expect(await life.start(null, { toolCalls: 3 })).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      limit: 3,
      usage: { toolCalls: 3 },
    });
    expect(executed.toSorted((a, b) => a - b)).toEqual([0, 1, 99]);
    expect(seen).toEqual([]);
  });

  it('gives back what it did not spend [R2-BUDGET-DEBIT] [V9.8]', async () => {
    const { tool } = counter();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const during: number[] = [];
      await run.spawn(
        async (on: Run) => {
          during.push(run.budget.remaining('toolCalls'), on.budget.remaining('toolCalls'));
          await on.call(tool, 1);
          return done(null);
        },
        null,
        { toolCalls: 6 },
      );
      return done([...during, run.budget.remaining('toolCalls')]);
    });
    expect(await life.start(null, { toolCalls: 10 })).toMatchObject({ value: [4, 6, 9] });
  });

  it('and its sibling together cannot exceed their parent [R2-BUDGET-CARVE]', async () => {
    const { tool, executed } = counter();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const spend = (on: Run): Promise<Outcome<unknown>> =>
        on.spawn((child: Run) => forever(child, tool), null, { toolCalls: 4 });
      const both = await run.all([spend, spend], 2);
      return done(both.map((one) => (one.ok && one.value.stop === 'bounded' ? one.value.limit : one)));
    });
    expect(await life.start(null, { toolCalls: 6 })).toMatchObject({
      stop: 'done',
      value: [4, 2],
      usage: { toolCalls: 6 },
    });
    expect(executed).toHaveLength(6);
  });

  it.each([
    ['the same budget after a crash as before', {}, 4],
    ['its part of a larger budget', { budget: { toolCalls: 100 } }, 50],
    ['its part of a smaller budget', { budget: { toolCalls: 2 } }, 1],
  ])('has %s [R2-BUDGET-CARVE] [F-K2] [F-X1]', async (_what, larger, limit) => {
    const stage = moving();
    const { tool } = counter();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run) => {
          await on.wait({ name: 'go' });
          return forever(on, tool);
        },
        null,
        { share: 0.5 },
      );
      return done(child);
    };
    const life = stage.open(agent);
    await life.start(null, { toolCalls: 8 });
    await life.runtime.signal(RUN, 'go');
    life.die();
    expect(await stage.open(agent).resume(larger)).toMatchObject({
      stop: 'done',
      value: { stop: 'bounded', bound: 'toolCalls', limit },
    });
  });

  it.each([
    ['active time', 'wallMs', { wallMs: 500 }],
    ['deadline', 'deadline', { deadline: VIRTUAL_START + 500 }],
  ] as const)(
    'is bounded by its own %s, which aborts what it has in flight [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-ABORT]',
    async (_what, bound, slice) => {
      const stage = still();
      const begun = gate();
      let reason: unknown;
      const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
        const child = await run.spawn(
          async (on: Run) =>
            done(
              await on.step(
                'slow',
                null,
                slow(
                  () => begun.open(),
                  (why) => {
                    reason = why;
                  },
                ),
                'pure',
              ),
            ),
          null,
          slice,
        );
        return done(child);
      });
      const ended = life.start(null, { wallMs: 2000 });
      await begun.opened;
      await stage.clock.advance(500);
      expect(reason).toMatchObject({ code: 'BOUND_REACHED', bound });
      expect(await ended).toMatchObject({ stop: 'done', value: { stop: 'bounded', bound } });
    },
  );

  it('that is bounded aborts what it has in flight, and nothing of its parent [R2-SHOW-BUDGET-NESTED] [R2-BUDGET-ABORT]', async () => {
    const { tool } = counter();
    const aborted: string[] = [];
    const finished = gate<string>();
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const own = run.step(
        'mine',
        null,
        (_input, { signal }) => {
          signal.addEventListener('abort', () => aborted.push('parent'));
          return finished.opened;
        },
        'pure',
      );
      const child = await run.spawn(
        async (on: Run) => {
          const begun = gate();
          const inFlight = on.step(
            'slow',
            null,
            slow(
              () => begun.open(),
              () => aborted.push('child'),
            ),
            'pure',
          );
          inFlight.catch(() => undefined);
          await on.step('hold', null, () => begun.opened.then(() => null), 'pure');
          await on.call(tool, 1);
          await on.call(tool, 2);
          return done(await inFlight);
        },
        null,
        { toolCalls: 1 },
      );
      finished.open('mine is done');
      return done([child.stop, await own]);
    });
    expect(await life.start()).toMatchObject({ stop: 'done', value: ['bounded', 'mine is done'] });
    expect(aborted).toEqual(['child']);
  });
});

describe('a warning', () => {
  it('is given once an axis, at 80 %, also over a crash [R2-BUDGET-WARN] [V9.6]', async () => {
    const stage = moving();
    const { tool } = counter();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 8; n++) await run.call(tool, n);
      await run.wait({ name: 'go' });
      await run.call(tool, 8);
      return done(null);
    };
    const life = stage.open(agent);
    await life.start(null, { toolCalls: 10 });
    expect(await stage.events('budget-warning')).toEqual([
      { type: 'budget-warning', node: '', axis: 'toolCalls', spent: 8, limit: 10 },
    ]);
    life.die();
    const second = stage.open(agent);
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done' });
    expect(await stage.events('budget-warning')).toHaveLength(1);
  });

  it('is given for a child at its own limit, under its own name [R2-BUDGET-WARN]', async () => {
    const stage = moving();
    const { tool } = counter();
    await stage
      .open(async (run: Run): Promise<Outcome<unknown>> => {
        async function child(on: Run): Promise<Outcome<unknown>> {
          for (let n = 0; n < 5; n++) await on.call(tool, n);
          return done(null);
        }
        return run.spawn(child, null, { toolCalls: 5 });
      })
      .start(null, { toolCalls: 100 });
    expect(await stage.events('budget-warning')).toMatchObject([
      { node: '/child.0', axis: 'toolCalls', spent: 4, limit: 5 },
    ]);
  });
});

/** A tool that changes one file or line each time. */
function changing(axis: 'filesChanged' | 'linesChanged'): Tool<number, string> {
  return {
    name: 'change',
    description: 'Changes something.',
    effect: 'idempotent',
    reserve: () => ({ [axis]: 1 }),
    execute: async (n) => `changed ${n}`,
  };
}
