import { setImmediate as turn } from 'node:timers/promises';
import { type Agent, budget, createRuntime, done, memoryEngine, type Run, type Runtime } from 'flyball';
import { afterEach, describe, expect, it } from 'vitest';

/** Runs at once, and how many of them one after the other, each of another length: some end while others go on. */
const LANES = 10;
const ROUNDS = 8;

/** The way each run ends; `steps` have gone before. */
const ends: Readonly<Record<string, (run: Run) => Promise<unknown>>> = {
  done: async () => undefined,
  failed: async () => Promise.reject(new Error('no')),
  bounded: async (run) => run.budget.take('iterations', 10_000),
  'with a branch cut off': (run) =>
    run.first([
      (branch) => branch.step('quick', 0, async () => 0, 'pure'),
      async (branch) => branch.sleep(3_600_000).then(() => 0),
    ]),
  'with a child': (run) =>
    run.spawn(async (child) => done(await child.step('below', 0, async () => 0, 'pure')), null, {}),
};

describe('a run that has ended', () => {
  let runtime: Runtime;
  afterEach(() => runtime.close());

  it.each(Object.entries(ends))('is collected while others go on: %s [F-K1]', async (how, end) => {
    const inputs: WeakRef<object>[] = []; // held by the runtime's side of a run, and by nothing else
    const kept: Run[] = []; // whoever holds one run that has ended, holds that one only
    const agent: Agent<object, string> = async (run, input) => {
      if (kept.length === 0) kept.push(run);
      const steps = 3 + ((inputs.push(new WeakRef(input)) * 7) % 11);
      for (let n = 0; n < steps; n++) await run.step('work', n, async () => turn(), 'pure');
      await end(run);
      return done('ok');
    };
    runtime = createRuntime({ engine: memoryEngine(), agents: { agent } });
    const lane = async (): Promise<void> => {
      for (let n = 0; n < ROUNDS; n++) {
        const { stop } = await (await runtime.start('agent', { n }, { budget: budget({}) })).finished();
        expect(stop).toBe(how in { failed: 1, bounded: 1 } ? how : 'done');
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    expect(kept).toHaveLength(1);
    expect(inputs).toHaveLength(LANES * ROUNDS);
    const left = 3; // the one that is kept, and what a last turn may still have at hand
    let held = inputs.length;
    // a collection finds only what nothing was doing at that moment: what many in a row leave is held
    for (let round = 0; round < 20 && held > left; round++) {
      for (let n = 0; n < 10; n++) await turn();
      global.gc?.();
      held = inputs.filter((input) => input.deref() !== undefined).length;
    }
    expect(held).toBeLessThanOrEqual(left);
  });
});
