import { done, type EffectClass, type Outcome, type Run, type Tool } from 'flyball';
import type { AutoClock } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN, type Stage } from './stage.js';

/** What a change of the budget finds half done: children at a bound, children that have not begun, losers undone. */

const work: Tool<unknown, string> = {
  name: 'work',
  description: 'Works.',
  effect: { class: 'idempotent', simulate: () => 'simulated' },
  retry: { retries: 0 },
  execute: async () => 'worked',
};

const undoable: EffectClass<null, string> = {
  class: 'undoable',
  compensate: async () => undefined,
  verify: async () => ({ happened: 'no' }),
  timeoutMs: 1000,
};

function later(stage: Stage<AutoClock>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    stage.clock.after(ms, resolve);
  });
}

async function three(run: Run): Promise<Outcome<unknown>> {
  for (let n = 0; n < 3; n++) await run.call(work, n);
  return done('all three');
}

describe('a child that reached its own bound in the turn in which it ran into one of the run', () => {
  it('goes on under a larger budget, for its parent never heard of the bound [R7-BUDGET-BOTH]', async () => {
    const stage = moving();
    const child = async (on: Run): Promise<Outcome<unknown>> => {
      await Promise.race([on.call(work, 1), (async () => on.budget.take('iterations'))()]);
      return done('went on');
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(work, 0);
      return run.spawn(child, null, { shared: true });
    });
    const limits = { toolCalls: 1, iterations: 1 };
    expect(await life.start(null, limits)).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 1 });
    expect((await stage.events('trip')).map(({ node }) => node)).toEqual(['', '/child.0']);
    const outcome = await life.resume({ budget: { toolCalls: 40, iterations: 40 } });
    expect(outcome).toMatchObject({ stop: 'done', value: 'went on' });
  });
});

describe('a child whose bounded outcome decided which branch won', () => {
  it('keeps it under a larger budget, for the branch that lost is given up already [R7-BUDGET-WON]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const won = await run.first<unknown>([
        async (on) => {
          await on.step('let the other act', null, () => later(stage, 400), 'pure');
          return (await on.spawn(three, null, { toolCalls: 1 })).stop;
        },
        async (on) => {
          await on.step('act', null, () => 'acted', { class: 'idempotent' });
          await on.wait({ name: 'never' });
        },
      ]);
      await run.call(work, 1);
      return done(won);
    });
    expect(await life.start(null, { toolCalls: 1 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 1 });
    expect(await stage.events('rollback-end')).toHaveLength(1);
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'done', value: 'bounded' });
  });
});

describe('a branch that went by the outcome of a child in the branch beside it', () => {
  const beside = (stage: Stage<AutoClock>, goBy: (on: Run, board: readonly unknown[]) => Promise<unknown>) => {
    const board: unknown[] = [];
    return async (run: Run): Promise<Outcome<unknown>> => {
      board.length = 0;
      await run.all<unknown>(
        [
          async (on) => board.push((await on.spawn(three, null, { share: 0.5 })).stop),
          async (on) => {
            await on.step('begin', null, () => 'begun', 'pure');
            await on.step('let the child end', null, () => later(stage, 400), 'pure');
            await goBy(on, board);
          },
          async (on) => {
            await on.step('begin', null, () => 'begun', 'pure');
            await on.step('let them begin', null, () => later(stage, 4000), 'pure');
            for (let n = 0; n < 3; n++) await on.call(work, n);
          },
        ],
        3,
      );
      return done(board);
    };
  };

  it('has its past again where that was to undo a branch of its own [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const agent = beside(stage, (on, board) =>
      on.first<unknown>([
        async (one) => {
          await one.step('let the other act', null, () => later(stage, 400), 'pure');
          if (board.length === 0) await one.wait({ name: 'never' });
        },
        async (other) => {
          await other.step('act', null, () => 'acted', undoable);
          await other.wait({ name: 'never' });
        },
      ]),
    );
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    expect(await stage.events('rollback-end')).toHaveLength(1);
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'done', value: ['bounded'] });
  });

  it('goes its own way where it did not: the child goes on, though a branch there was undone [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const agent = beside(stage, (on) =>
      on.first<unknown>([
        (one) => one.step('let the other act', null, () => later(stage, 400), 'pure'),
        async (other) => {
          await other.step('act', null, () => 'acted', undoable);
          await other.wait({ name: 'never' });
        },
      ]),
    );
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    expect(await stage.events('rollback-end')).toHaveLength(1);
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'done', value: ['done'] });
  });

  it('has its past again where that was to wait for somebody [R7-BUDGET-NEIGHBOR]', async () => {
    const stage = moving();
    const agent = beside(stage, async (on, board) => {
      if (board.length > 0) await on.wait({ name: 'go' });
    });
    const life = stage.open(agent);
    expect(await life.start(null, { toolCalls: 2 })).toMatchObject({ stop: 'bounded', bound: 'toolCalls', limit: 2 });
    expect(await life.resume({ budget: { toolCalls: 40 } })).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: ['bounded'] });
  });
});

describe('a child that had not begun when the budget changed, and never did', () => {
  it('leaves as much to its neighbors under every later budget as it did then [R7-BUDGET-UNBEGUN]', async () => {
    const stage = moving();
    const child = async (on: Run): Promise<Outcome<unknown>> => done(await on.step('in', 1, () => 1, 'pure'));
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const left: number[] = [];
      const take = async (on: Run): Promise<void> => {
        on.budget.take('iterations');
        left.push(on.budget.remaining('iterations'));
        on.note({ kind: 'left', left: left.at(-1) });
      };
      await run.first<unknown>([(on) => on.spawn(child, null, {}), take, take]);
      await run.step('look', left, (seen) => seen, 'pure');
      await run.wait({ name: 'go' });
      return done(left);
    };
    const life = stage.open(agent);
    expect(await life.start(null, { iterations: 1 })).toMatchObject({ stop: 'bounded', bound: 'iterations' });
    expect(await life.resume({ budget: { iterations: 40 } })).toMatchObject({ stop: 'suspended' });
    const seen = (await stage.events('note')).map(({ event }) => (event as { readonly left?: number }).left);
    expect(seen).toHaveLength(2);
    expect(await life.resume({ budget: { iterations: 80 } })).toMatchObject({ stop: 'suspended' });
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: seen });
  });
});
