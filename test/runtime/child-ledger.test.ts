import { done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, moving, RUN, still } from './stage.js';

describe('the part of a budget that a child got', () => {
  it('goes back when the child is cancelled at work [R2-BUDGET-CARVE] [R2-BUDGET-DEBIT]', async () => {
    const child = async (run: Run): Promise<Outcome<unknown>> => done(await run.wait({ name: 'never' }));
    const life = moving().open(async (run: Run) => {
      await run.first([
        async (branch) => void (await branch.spawn(child, null, { share: 0.9 })),
        async (branch) => branch.sleep(5),
      ]);
      return done(run.budget.remaining('modelCalls'));
    });
    expect(await life.start(null, { modelCalls: 100 })).toMatchObject({ stop: 'done', value: 100 });
  });

  it('is not taken by a child of a branch that has lost [R2-BUDGET-CARVE] [R2-RUN-FIRST]', async () => {
    const began: string[] = [];
    const child = async (): Promise<Outcome<unknown>> => done(began.push('child'));
    const life = moving().open(async (run: Run) => {
      await run.first([
        async (branch) => {
          await branch.wait({ name: 'never' }).catch(() => undefined);
          await branch.spawn(child, null, { share: 0.9 }).catch(() => undefined);
        },
        async (branch) => branch.sleep(5),
      ]);
      await run.sleep(1);
      return done(run.budget.remaining('modelCalls'));
    });
    expect(await life.start(null, { modelCalls: 100 })).toMatchObject({ stop: 'done', value: 100 });
    expect(began).toEqual([]);
  });
});

describe('a scope', () => {
  it('cannot be named so that a child works on its budget instead of its own [R2-RUN-SCOPE] [R2-BUDGET-CARVE]', async () => {
    const life = moving().open(async (run: Run) => {
      run.scope('child.0');
      return done(null);
    });
    expect(await life.start()).toMatchObject({
      stop: 'failed',
      failure: { code: 'CONFIG_INVALID', message: expect.stringContaining('child.0') },
    });
    const free = moving().open(async (run: Run) => done(run.scope('child.0a').path));
    expect(await free.start()).toMatchObject({ stop: 'done', value: '/child.0a' });
  });
});

describe('the depth in a slice', () => {
  const leaf = async (): Promise<Outcome<unknown>> => done('leaf');

  async function depthBelow(depth: number, levels: number): Promise<unknown> {
    const below = async (run: Run, left: number): Promise<Outcome<unknown>> => {
      const outcome = left === 0 ? await leaf() : await run.spawn(below, left - 1, {});
      return outcome.stop === 'done' ? outcome : done(outcome.stop === 'bounded' ? outcome.bound : outcome.stop);
    };
    const life = moving().open(async (run: Run) => done(await run.spawn(below, levels, { depth })));
    const outcome = await life.start();
    return outcome.stop === 'done' && (outcome.value as { value: unknown }).value;
  }

  it.each([0, 1, 2])('counts the levels below the child: %i [R2-BUDGET-AXES]', async (depth) => {
    expect(await depthBelow(depth, depth)).toBe('leaf');
    expect(await depthBelow(depth, depth + 1)).toBe('depth');
  });
});

describe('what the code sees of its budget', () => {
  it('does not change with calls that a crash cut off [R2-DELIVERY-ORDER] [R2-BUDGET-OPEN-COUNTS]', async () => {
    const stage = still();
    const model = scriptedModel({
      talker: async () => {
        await turns(3);
        return 'hello';
      },
    });
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const asked = run.ask(session, 'hi');
      // the number is in the fingerprint: another one in a later life would diverge
      await run.step(`left ${run.budget.remaining('modelCalls')}`, null, () => 1, 'pure');
      await asked;
      await run.wait({ name: 'go' });
      return done(run.budget.spent().modelCalls);
    };
    await stage.crashed(agent, at('before', 'ask-end'), { limits: { modelCalls: 10 } });
    const second = stage.open(agent);
    const rested = second.resume();
    await turns(30);
    await stage.clock.advance(1000);
    expect(await rested).toMatchObject({ stop: 'suspended', usage: { modelCalls: 1, possibly: { modelCalls: 1 } } });
    await second.runtime.signal(RUN, 'go');
    expect(await second.resume()).toMatchObject({ stop: 'done', value: 1, usage: { modelCalls: 1 } });
  });

  it('does not change with the number of attempts that a tool call took [R2-DELIVERY-ORDER]', async () => {
    const stage = moving();
    const seen: number[] = [];
    const tool: Tool<string> = {
      name: 'put',
      description: 'Puts it there.',
      effect: 'idempotent',
      execute: async () => 'ok',
    };
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(tool, 'it');
      seen.push(run.budget.spent().toolCalls);
      await run.wait({ name: 'go' });
      return done(run.budget.spent().toolCalls);
    };
    await stage.crashed(agent, at('before', 'complete'));
    const life = stage.open(agent);
    await life.resume();
    await life.runtime.signal(RUN, 'go');
    expect(await life.resume()).toMatchObject({ stop: 'done', value: 1 });
    expect(new Set(seen)).toEqual(new Set([1]));
  });
});
