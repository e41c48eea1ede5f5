import { done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { eventsOf, moving } from './stage.js';

const tool: Tool<unknown, string> = {
  name: 'look',
  description: 'Looks.',
  effect: 'pure',
  execute: async () => 'seen',
};
const pure = (run: Run, name: string, input: unknown = null): Promise<unknown> =>
  run.step(name, input, () => name, 'pure');

describe('an effect', () => {
  it('is named by its scope path and a counter there, given when the call is made [R2-EFFECT-IDENTITY] [R2-RUN-SCOPE]', async () => {
    const stage = moving();
    async function helper(run: Run): Promise<Outcome<unknown>> {
      return done(await pure(run, 'in child'));
    }
    await stage
      .open(async (run: Run) => {
        await pure(run, 'a');
        await pure(run.scope('plan'), 'b');
        await run.all([(on) => pure(on, 'c'), (on) => pure(on.scope('deep'), 'd')], 2);
        await run.spawn(helper, null, { share: 0.5 });
        await run.first([(on) => pure(on, 'e')]);
        await pure(run.scope('plan'), 'f');
        await pure(run, 'g');
        return done(null);
      })
      .start();
    const ids = Object.fromEntries(eventsOf(await stage.entries(), 'complete').map(({ name, id }) => [name, id]));
    expect(ids).toEqual({
      a: '#0',
      b: '/plan#0',
      c: '/all.0.0#0',
      d: '/all.0.1/deep#0',
      'in child': '/helper.1#0',
      e: '/first.2.0#0',
      f: '/plan#1',
      g: '#2', // the child is an effect of its parent: #1
    });
  });

  it('keeps its name whichever of two ends first [R2-EFFECT-IDENTITY]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const late = run.step(
        'late',
        null,
        async () => {
          await new Promise((resolve) => stage.clock.after(1000, () => resolve(null)));
          return 'late';
        },
        'pure',
      );
      const early = pure(run, 'early');
      return done([await early, await late]);
    };
    await stage.open(agent).start();
    expect(eventsOf(await stage.entries(), 'complete').map(({ name, id }) => [name, id])).toEqual([
      ['early', '#1'],
      ['late', '#0'],
    ]);
  });

  it('has a fingerprint of kind, name and input [R2-EFFECT-FINGERPRINT]', async () => {
    const stage = moving();
    await stage
      .open(async (run: Run) => {
        await pure(run, 'same', { n: 1 });
        await pure(run, 'same', { n: 1 });
        await pure(run, 'same', { n: 2 });
        await pure(run, 'other', { n: 1 });
        await run.call({ ...tool, name: 'same' }, { n: 1 });
        return done(null);
      })
      .start();
    const [first, second, ...rest] = eventsOf(await stage.entries(), 'complete').map(({ fp }) => fp);
    expect(first).toBe(second);
    expect(new Set([first, ...rest]).size).toBe(4);
  });

  it('of a model is fingerprinted by session and tip of the prompt chain', async () => {
    const stage = moving();
    const model = scriptedModel({ judge: () => 'ok', planner: () => 'ok' });
    const judge: Session = { name: 'judge', model, setup: 'Judge.' };
    await stage
      .open(async (run: Run) => {
        await run.ask(judge, 'this');
        await run.ask(judge, 'this');
        await run.ask(judge, 'that');
        await run.ask({ ...judge, name: 'planner' }, 'this');
        return done(null);
      })
      .start();
    const [first, second, ...rest] = eventsOf(await stage.entries(), 'ask-start').map(({ fp }) => fp);
    expect(first).toBe(second);
    expect(new Set([first, ...rest]).size).toBe(3);
  });

  it('overlaps another one in its scope legally, which is told once a scope [R2-SCOPE-OVERLAP]', async () => {
    const stage = moving();
    const outcome = await stage
      .open(async (run: Run) => {
        await Promise.all([pure(run, 'a'), pure(run, 'b'), pure(run, 'c')]);
        await Promise.all([pure(run, 'd'), pure(run, 'e')]);
        await run.all([(on) => pure(on, 'f'), (on) => pure(on, 'g')], 2); // branches have scopes of their own
        return done(null);
      })
      .start();
    expect(outcome.stop).toBe('done');
    expect(await stage.events('scope-overlap')).toEqual([{ type: 'scope-overlap', path: '' }]);
  });

  it.each(['a b', 'a/b', 'a#1', ''])(
    'refuses the scope name "%s", which would break its path [R2-RUN-SCOPE]',
    async (name) => {
      const outcome = await moving()
        .open(async (run: Run) => done(run.scope(name).path))
        .start();
      expect(outcome).toMatchObject({ stop: 'failed', failure: { code: 'CONFIG_INVALID' } });
    },
  );

  it('in a sub-scope is charged to the same budget [R2-RUN-SCOPE]', async () => {
    const outcome = await moving()
      .open(async (run: Run) => {
        await run.scope('a').call(tool, 1);
        await run.scope('b').call(tool, 2);
        return done(run.budget.spent().toolCalls);
      })
      .start();
    expect(outcome).toMatchObject({ value: 2 });
  });
});
