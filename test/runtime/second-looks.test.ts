import { done, type EffectClass, type JsonSchema, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { budget } from '../../packages/flyball/src/core/budget.js';
import { Ledger } from '../../packages/flyball/src/core/ledger.js';
import { at, moving, RUN } from './stage.js';

describe('an INTENT', () => {
  it('is judged by what the effect was when it was attempted, not by what the code calls it today [R2-DOUBT-PERSON]', async () => {
    const stage = moving();
    let made = 0;
    const paying =
      (effect: EffectClass<null, number>) =>
      async (run: Run): Promise<Outcome<unknown>> =>
        done(await run.step('pay', null, () => ++made, effect));
    const undoable = { class: 'undoable', timeoutMs: 100, compensate: async () => undefined } as const;
    await stage.crashed(paying(undoable), at('before', 'complete'));
    expect(made).toBe(1);

    const life = stage.open(paying({ class: 'idempotent', timeoutMs: 100 }));
    let outcome = await life.resume();
    while (outcome.stop === 'suspended' && outcome.waiting[0]?.kind === 'sleep') outcome = await life.resume();
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
    expect(made).toBe(1);
  });
});

describe('a signal', () => {
  it('is checked against the open waits of its name, not against those that are closed [R2-BAD-SIGNAL] [F-X6]', async () => {
    const checkJson = async ({ type }: JsonSchema, value: unknown): Promise<string | undefined> =>
      typeof value === type ? undefined : `not a ${String(type)}`;
    const life = moving().open(
      async (run: Run) => {
        await run.first([
          (on: Run) => on.wait<unknown>({ name: 'x', jsonSchema: { type: 'number' } }),
          async (on: Run) => on.sleep(5),
        ]);
        return done(await run.wait({ name: 'x', jsonSchema: { type: 'string' } }));
      },
      { checkJson },
    );
    await life.start();
    await expect(life.runtime.signal(RUN, 'x', 7)).rejects.toMatchObject({ code: 'SIGNAL_INVALID' });
    expect(await life.runtime.signal(RUN, 'x', 'text')).toMatchObject({ delivery: 'delivered' });
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 'text' });
  });
});

it.each([Number.POSITIVE_INFINITY, Number.NaN])(
  'a wait until %s is refused at the call, not in the journal [R2-BAD-TYPE]',
  async (timeoutMs) => {
    const outcome = await moving()
      .open(async (run: Run) => done(await run.wait({ name: 'x', timeoutMs })))
      .start();
    expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
  },
);

it('a child that spends more than it was given takes it from what its parent has left [R2-BUDGET-DEBIT]', () => {
  const root = new Ledger('', budget({ toolCalls: 10 }));
  const child = root.carve('/child', { toolCalls: 2 });
  child.debit({ toolCalls: 4 });
  expect(root.remaining('toolCalls')).toBe(6);
  child.close();
  expect(root.remaining('toolCalls')).toBe(6);
});
