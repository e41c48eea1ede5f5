import { done, type Run, type Tool } from 'flyball';
import { autonomyBudget } from 'flyball/tools';
import { describe, expect, it } from 'vitest';
import { toTheEnd } from '../runtime/fork-stage.js';
import { moving, RUN } from '../runtime/stage.js';

const look: Tool<number, string> = {
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  execute: async () => 'seen',
};

describe('the autonomy budget in a fork', () => {
  it.each([true, false])('counts what was spent before the fork (live: %s) [R7-APPROVE-AUTONOMY]', async (live) => {
    const stage = moving();
    const agent = async (run: Run) => {
      const seen: boolean[] = [];
      for (let n = 0; n < 4; n++) seen.push((await run.call(look, n)).ok);
      return done(seen);
    };
    const life = stage.open(agent, { seams: autonomyBudget({ limits: { toolCalls: 3 } }).seam() });
    expect(await life.start()).toMatchObject({ value: [true, true, true, false] });
    const ends = (await stage.entries()).filter(({ event }) => event.type === 'complete').map(({ seq }) => seq);
    await life.runtime.fork(RUN, { at: ends[1] ?? -1, live, id: 'fork' });
    const outcome = await toTheEnd(life, 'fork');
    expect(outcome).toMatchObject({ value: [true, true, true, false] });
    expect(outcome.usage?.toolCalls).toBe(2); // its bill has only what it did itself
  });

  it('goes on counting in later generations and in forks of forks [R7-APPROVE-AUTONOMY]', async () => {
    const stage = moving();
    const agent = async (run: Run, input: unknown) => {
      const first = await run.call(look, 1);
      if (input === null) return run.continueWith('second');
      return done([first.ok, (await run.call(look, 2)).ok]);
    };
    const life = stage.open(agent, { seams: autonomyBudget({ limits: { toolCalls: 4 } }).seam() });
    expect(await life.start()).toMatchObject({ value: [true, true] });
    const looked = async (run: string) =>
      (await stage.entries(run)).find(({ event }) => event.type === 'complete')?.seq ?? -1;
    await life.runtime.fork(RUN, { at: await looked(RUN), generation: 0, live: true, id: 'fork' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ value: [true, true] }); // three in all
    const at = (await stage.entries('fork')).findLast(({ event }) => event.type === 'complete')?.seq ?? -1;
    await life.runtime.fork('fork', { at, generation: 1, live: true, id: 'again' });
    await life.runtime.fork('again', { at: 0, generation: 0, live: true, id: 'last' });
    expect(await toTheEnd(life, 'again')).toMatchObject({ value: [true, true] });
    const start = (await stage.entries('last'))[0]?.event;
    expect(start).toMatchObject({ fork: { state: { autonomySpent: { toolCalls: 1 } } } });
  });

  it('counts iterations of the loop across the point of the fork [R7-APPROVE-AUTONOMY]', async () => {
    const stage = moving();
    const agent = async (run: Run) => {
      const seen: number[] = [];
      for (let n = 0; n < 3; n++) {
        run.budget.take('iterations');
        await run.call(look, n);
        seen.push(run.budget.before().iterations + run.budget.spent().iterations);
      }
      return done(seen);
    };
    const life = stage.open(agent);
    expect(await life.start()).toMatchObject({ value: [1, 2, 3] });
    const ends = (await stage.entries()).filter(({ event }) => event.type === 'complete').map(({ seq }) => seq);
    await life.runtime.fork(RUN, { at: ends[1] ?? -1, live: true, id: 'fork' });
    expect(await toTheEnd(life, 'fork')).toMatchObject({ value: [1, 2, 3], usage: { iterations: 1 } });
  });
});
