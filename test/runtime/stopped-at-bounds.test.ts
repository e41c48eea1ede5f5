import { done, type Engine, memoryEngine, type Outcome, type Run, type Tool } from 'flyball';
import { describe, expect, it } from 'vitest';
import { at, gate, RUN, still } from './stage.js';

/** Writes down what it was called with, unless it is told to hold on: then it waits until it is stopped. */
function acting(held: Set<string>): { readonly tool: Tool<string, string>; readonly made: string[] } {
  const made: string[] = [];
  const tool: Tool<string, string> = {
    name: 'act',
    description: 'Acts.',
    effect: 'idempotent',
    execute: (what, { signal }) => {
      if (held.delete(what))
        return new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
        );
      made.push(what);
      return Promise.resolve(`made ${what}`);
    },
  };
  return { tool, made };
}

/** One call at once, and another one a moment later: the budget is for one. */
async function sideBySide(run: Run, tool: Tool<string, string>): Promise<Outcome<unknown>> {
  const settled = await run.all(
    [
      (branch) => branch.call(tool, 'early'),
      async (branch) => {
        await branch.sleep(10);
        return branch.call(tool, 'late');
      },
    ],
    2,
  );
  return done(settled.map((result) => (result.ok ? result.value.content : result.error.message)));
}

const BOTH = ['made early', 'made late'];

/** Writes of a second INTENT wait for the test. */
function slowToRepeat(open: Promise<void>): Engine {
  const engine = memoryEngine();
  return {
    ...engine,
    async append(claim, batch) {
      if (batch.entries.some(({ body }) => /"type":"intent".*"attempt":2/.test(body))) await open;
      return engine.append(claim, batch);
    },
  };
}

describe('an idempotent act that a bound stopped and that may have taken place', () => {
  it('is made once more when the bound is lifted, though it was not begun again yet [R7-KILLS-LIFTED]', async () => {
    const written = gate();
    const stage = still(slowToRepeat(written.opened));
    const { tool, made } = acting(new Set());
    const agent = (run: Run) => sideBySide(run, tool);
    await stage.crashed(agent, at('after', 'intent'), { limits: { toolCalls: 1 } });
    expect(made).toEqual([]);
    const life = stage.open(agent);
    const bounded = life.resume();
    await stage.clock.advance(10); // the late call reaches the bound while the INTENT of the early one is being written
    written.open();
    await stage.clock.advance(1);
    expect(await bounded).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    const ended = life.resume({ budget: { toolCalls: 5 } });
    await stage.clock.advance(10);
    expect(await ended).toMatchObject({ stop: 'done', value: BOTH, usage: { toolCalls: 2 } });
    expect(made).toEqual(['early', 'late']);
  });

  it('is made once more when its child goes on under a larger budget [R7-KILLS-LIFTED]', async () => {
    const stage = still();
    const { tool, made } = acting(new Set(['early']));
    const life = stage.open(
      async (run: Run) => run.spawn((inner: Run) => sideBySide(inner, tool), null, { share: 0.5 }),
      { options: { settleMs: 0 } },
    );
    const bounded = life.start(null, { toolCalls: 2 });
    await stage.clock.advance(10);
    expect(await bounded).toMatchObject({ stop: 'bounded', bound: 'toolCalls' });
    expect(await stage.events('complete')).toMatchObject([{ how: 'unknown', failure: { code: 'BOUND_REACHED' } }]);
    const ended = life.resume({ budget: { toolCalls: 8 } });
    await stage.clock.advance(10);
    expect(await ended).toMatchObject({ stop: 'done', value: BOTH, usage: { toolCalls: 2 } });
    expect(made).toEqual(['early', 'late']);
    expect((await life.runtime.get(RUN)).status).toBe('done');
  });
});
