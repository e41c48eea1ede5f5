import { type Agent, done, type Outcome, type Run, type Tool } from 'flyball';
import { checkpointOf, useOf, withBudget } from 'flyball/patterns';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { session } from '../../../../../test/patterns/bed.js';
import { eventsOf, moving, RUN } from '../../../../../test/runtime/stage.js';

const model = scriptedModel({ worker: () => 'x' });
const worker = session(model, 'worker', { sampling: { maxOutputTokens: 10 } });
const touch: Tool<{ n: number }, string> = {
  name: 'touch',
  description: 'Touches a file. Not for folders.',
  effect: 'idempotent',
  execute: async ({ n }) => `touched ${n}`,
};

/** Forty steps, each with a model call and a tool call, and the best so far told after each. */
const fortySteps: Agent<null, number> = async (run) => {
  for (let n = 1; n <= 40; n++) {
    await run.ask(worker, `Step ${n}`);
    await run.call(touch, { n });
    run.best(n);
  }
  return done(40);
};

const ended = async (slice: Parameters<typeof withBudget>[1], limits = {}) => {
  const stage = moving();
  const outcome = await stage.open(withBudget(fortySteps, slice) as never).start(null, limits);
  return { stage, outcome };
};

describe('withBudget', () => {
  it.each([
    ['modelCalls', { modelCalls: 10 }, 10],
    ['toolCalls', { toolCalls: 10 }, 10],
    ['tokensOut', { tokensOut: 15 }, undefined],
  ] as const)(
    'ends at %s alone, and begins nothing after it [V9.3] [V9.5] [V9.acceptance]',
    async (bound, slice, steps) => {
      const { stage, outcome } = await ended(slice);
      expect(outcome).toMatchObject({ stop: 'bounded', bound });
      const entries = await stage.entries();
      if (steps !== undefined) expect(outcome).toMatchObject({ partial: steps });
      const asked = eventsOf(entries, 'ask-start').length;
      const called = eventsOf(entries, 'intent').length;
      expect(Math.max(asked, called)).toBeLessThan(40);
      if (steps !== undefined)
        expect(eventsOf(entries, 'budget-warning').filter((one) => one.axis === bound)).toHaveLength(1);
      const made = checkpointOf(RUN, entries).completedActions.filter(({ verb }) => verb !== 'spawn');
      expect(made).toHaveLength(asked + called);
    },
  );

  it('reaches step forty when the run goes on under a larger budget [V9.acceptance]', async () => {
    const stage = moving();
    const life = stage.open(fortySteps as never);
    expect(await life.start(null, { modelCalls: 10 })).toMatchObject({
      stop: 'bounded',
      bound: 'modelCalls',
      partial: 10,
    });
    expect(await life.resume({ budget: { modelCalls: 100 } })).toMatchObject({ stop: 'done', value: 40 });
  });

  it('leaves what is around it what it did not spend, and shows there what it did [V9.8]', async () => {
    const agent: Agent<null, unknown> = async (run) => {
      const inner = await withBudget(fortySteps, { modelCalls: 3 })(run, null);
      return done([inner.stop, run.budget.spent().modelCalls, run.budget.remaining('modelCalls')]);
    };
    expect(
      await moving()
        .open(agent as never)
        .start(null, { modelCalls: 10 }),
    ).toMatchObject({
      value: ['bounded', 3, 7],
    });
  });

  it('is in no prompt, and is fixed when it is made [V9.1] [V9.2]', async () => {
    const seen = scriptedModel({ worker: () => 'x' });
    const asks: Agent<null, string> = async (run) => done((await run.ask(session(seen, 'worker'), 'Do it.')).text);
    const slice = { modelCalls: 7, tokensOut: 12_345 };
    const agent = withBudget(asks, slice);
    for (let n = 0; n < 2; n++)
      expect(
        await moving()
          .open(agent as never)
          .start(),
      ).toMatchObject({ stop: 'done' });
    expect(JSON.stringify(seen.requests)).not.toMatch(/12345|12_345|modelCalls/);
    expect(seen.requests.map(({ messages }) => messages)).toEqual([
      seen.requests[0]?.messages,
      seen.requests[0]?.messages,
    ]);
  });

  it('needs a slice that bounds something [V9.9]', () => {
    expect(() => withBudget(fortySteps, {})).toThrow('withBudget (V9) needs a slice');
    expect(() => withBudget(fortySteps, { modelCalls: Number.NaN })).toThrow('must be a finite number');
  });

  it('says which part it gives, and nests: each agent has its own [V9.7]', async () => {
    const agent = withBudget(withBudget(fortySteps, { modelCalls: 2 }), { modelCalls: 5 });
    expect(useOf(agent)).toMatchObject({ id: 'V9', params: { slice: { modelCalls: 5 } } });
    const outcome: Outcome<unknown> = await moving()
      .open(((run: Run) => agent(run, null)) as never)
      .start();
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 2 });
  });
});
