import { done, type EffectClass, type Outcome, type Run } from 'flyball';
import { describe, expect, it } from 'vitest';
import { answer, at, RUN, still } from './stage.js';

const OPTIONS = { options: { leaseMs: 15_000 } };

/** The one who attempted it is alive while its successor looks, acts right after the look, and dies. */
describe.each(['undoable', 'irreversible'] as const)('an %s act of an owner that dies after the look', (kind) => {
  async function scene(dies: boolean) {
    const stage = still();
    const made: string[] = [];
    const lastAct = { pending: true, after: (): void => undefined };
    const verify = async (_input: null, { key }: { readonly key: string }) => {
      const happened = made.includes(key);
      if (lastAct.pending) {
        lastAct.pending = false;
        made.push(key);
        lastAct.after();
      }
      return happened ? ({ happened: 'yes', result: 'found it done' } as const) : ({ happened: 'no' } as const);
    };
    const rules = {
      class: kind,
      timeoutMs: 10_000,
      verify,
      ...(kind === 'undoable' ? { compensate: async () => undefined } : {}),
    } as EffectClass<null, string>;
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const pay = (_input: null, { key }: { readonly key: string }) => {
        made.push(key);
        return 'paid';
      };
      return done(await run.step('pay', null, pay, rules));
    };
    const first = stage.open(agent, { crash: at('after', 'intent'), ...OPTIONS });
    void first.start();
    if (kind === 'irreversible') {
      await stage.clock.advance(1);
      await answer(first.runtime, RUN, 'approve:#0', { verdict: 'approve' });
    }
    await first.crashed;
    first.vanish();
    lastAct.after = () => dies && first.die();
    await stage.clock.advance(20_000);
    const ended = stage.open(agent, OPTIONS).resume();
    await stage.clock.advance(100);
    return { made, outcome: await ended };
  }

  it('is looked for again once it is gone, and not made twice [R7-KILLS]', async () => {
    const { made, outcome } = await scene(true);
    expect(made).toEqual(['run:0:#0']);
    expect(outcome).toMatchObject({ stop: 'done', value: 'found it done' });
  });

  it('is for a person while it is not proven gone [R7-STOPS]', async () => {
    const { made, outcome } = await scene(false);
    expect(made).toEqual(['run:0:#0']);
    expect(outcome).toMatchObject({ stop: 'suspended', waiting: [{ kind: 'doubt' }] });
  });
});
