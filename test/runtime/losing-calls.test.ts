import { budget, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving, RUN } from './stage.js';

/** Calls that lose a race were made all the same: they count, wherever one looks and in every later life. */

function slow(): { readonly tool: Tool<unknown, string>; readonly made: Set<string> } {
  const made = new Set<string>();
  const tool: Tool<unknown, string> = {
    name: 'look',
    description: 'Looks something up and never comes back.',
    effect: 'pure',
    execute: (_args, { key }) => {
      made.add(key);
      return new Promise(() => undefined);
    },
  };
  return { tool, made };
}

/** Two calls lose against a step. */
function lose(run: Run, tool: Tool<unknown, string>, name: string): Promise<unknown> {
  return run.first<unknown>([
    (on) => on.call(tool, `${name} a`),
    (on) => on.call(tool, `${name} b`),
    (on) => on.step(`win ${name}`, null, async () => new Promise((resolve) => setImmediate(resolve, 'won')), 'pure'),
  ]);
}

describe('a call that loses', () => {
  it('counts when it was begun, so that no bound on calls is overshot [R7-GEN-LOSERS]', async () => {
    const stage = moving();
    const { tool, made } = slow();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 5; n++) await lose(run, tool, `${n}`);
      return done('all');
    });
    expect(await life.start(null, { toolCalls: 4 })).toMatchObject({
      stop: 'bounded',
      bound: 'toolCalls',
      usage: { toolCalls: 4 },
    });
    expect(made.size).toBe(4);
    expect(await stage.events('abort')).toMatchObject(
      Array(4).fill({ ran: true, cutOff: true, spent: { toolCalls: 1 } }),
    );
  });

  it('is part of what its child and the parents of that child have spent [R7-GEN-LOSERS]', async () => {
    const stage = moving();
    const { tool } = slow();
    const inner = async (run: Run): Promise<Outcome<unknown>> => {
      await lose(run, tool, 'inner');
      void run.call(tool, 'left behind');
      await run.step('a moment', null, () => 1, 'pure');
      return done('inner');
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(async (on: Run) => done(await on.spawn(inner, null, { share: 0.5 })), null, {
        share: 0.5,
      });
      return done([child.usage?.toolCalls, run.budget.spent().toolCalls]);
    });
    expect(await life.start(null, { toolCalls: 40 })).toMatchObject({ value: [3, 3], usage: { toolCalls: 3 } });
    const usages = (await stage.events('spawn-end')).map(({ outcome }) => outcome.usage?.toolCalls);
    expect(usages).toEqual([3, 3]);
  });

  it('counts once in every later life and in every fork, wherever the process dies [R7-GEN-LOSERS]', async () => {
    const seen: unknown[][] = [];
    for (let dies = 2; dies < 14; dies++) {
      const stage = moving();
      const { tool, made } = slow();
      const agent = async (run: Run): Promise<Outcome<unknown>> => {
        const left: unknown[] = [];
        for (const name of ['x', 'y']) {
          await lose(run, tool, name);
          left.push(run.budget.remaining('toolCalls'));
          await run.step('left', left, () => 'noted', 'pure');
        }
        return done(left);
      };
      const first = stage.open(agent, { crash: (point: { readonly n: number }) => point.n === dies });
      const outcome = await Promise.race([first.start(null, { toolCalls: 10 }), first.crashed.then(() => 'died')]);
      first.die();
      if (outcome === 'died') await stage.open(agent).resume();
      const [end] = (await stage.events('run-end')).slice(-1);
      seen.push([made.size, end?.outcome.usage?.toolCalls, end?.outcome.stop === 'done' ? end.outcome.value : end]);
      const life = stage.open(agent);
      for (const { seq } of (await stage.entries()).filter(({ event }) => event.type === 'complete')) {
        const fork = await life.runtime.fork(RUN, { at: seq, id: `fork-${seq}`, budget: budget({ toolCalls: 2 }) });
        const { usage = { toolCalls: 99 }, stop } = await fork.outcome();
        expect([stop, usage.toolCalls <= 2]).toEqual(['done', true]);
      }
    }
    for (const [made, counted, left] of seen) {
      expect(counted).toBe(4);
      expect(made).toBe(4);
      expect(left).toEqual([8, 6]);
    }
  });

  it('is made again when the bound that cut it off is lifted, and counts once [R7-GEN-LOSERS]', async () => {
    const stage = moving();
    let isSlow = true;
    const tool: Tool<unknown, string> = {
      name: 'look',
      description: 'Looks something up.',
      effect: 'pure',
      execute: () => (isSlow ? new Promise(() => undefined) : Promise.resolve('found')),
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const [found] = await Promise.all([
        run.call(tool, 1),
        (async () => {
          await run.step('a moment', null, () => 1, 'pure');
          run.budget.take('iterations', 5);
        })(),
      ]);
      return done(found.content);
    });
    expect(await life.start(null, { iterations: 3, toolCalls: 1 })).toMatchObject({
      stop: 'bounded',
      usage: { toolCalls: 1 },
    });
    isSlow = false;
    expect(await life.resume({ budget: { iterations: 10 } })).toMatchObject({
      stop: 'done',
      value: 'found',
      usage: { toolCalls: 1 },
    });
  });
});

describe('a reply that loses', () => {
  it('counts with what the model reported when it came before the race was over [F-C10]', async () => {
    const stage = moving();
    const model = scriptedModel({ talker: () => ({ text: 'x', usage: { input: 10, output: 5000 } }) });
    const session: Session = { name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 100 } };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      // both are there before the code hears of either
      await run.first<unknown>([
        (on) => on.step('win', null, async () => 'won', 'pure'),
        (on) => on.ask(session, 'hello'),
      ]);
      await run.ask(session, 'again');
      return done('asked');
    });
    const outcome = await life.start(null, { tokensOut: 1000 });
    const ends = await stage.events('ask-end');
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'tokensOut', usage: { modelCalls: 1, tokensOut: 5000 } });
    expect(ends).toHaveLength(1);
  });
});
