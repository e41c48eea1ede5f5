import { type Agent, BoundReachedError, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, moving } from './stage.js';

const session: Session = { name: 'q', model: scriptedModel({ q: () => 'x' }), setup: '' };
const AWAKE = { options: { suspendAfterMs: 1e9 } };

async function forever(run: Run): Promise<Outcome<string>> {
  for (;;) await run.ask(session, 'again');
}

const work: Tool<number, string> = {
  name: 'work',
  description: 'Works.',
  effect: 'idempotent',
  retry: { retries: 0 },
  execute: async (n) => `worked ${n}`,
};

describe('parts of a budget', () => {
  it('are equal: four of 40 are 10 each, also where a crash came between them [R11-N5-EQUAL]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const parts = await run.all(
        [0, 1, 2, 3].map((n) => async (on: Run) => {
          await on.sleep(n * 10); // one after the other, and none gives anything back before the last has begun
          const part = async (child: Run): Promise<Outcome<number>> => {
            await child.call(work, n);
            await child.sleep(1000);
            return done(child.budget.limits.toolCalls);
          };
          const outcome = await on.spawn(part, null, { of: 4 });
          return outcome.stop === 'done' ? outcome.value : outcome.stop;
        }),
        4,
      );
      return done(parts.map((part) => (part.ok ? part.value : part.error.message)));
    };
    const wanted = { stop: 'done', value: [10, 10, 10, 10] };
    expect(await moving().open(agent, AWAKE).start(null, { toolCalls: 40 })).toMatchObject(wanted);
    const stage = moving();
    await stage.crashed(agent, at('after', 'spawn-start', 2), { ...AWAKE, limits: { toolCalls: 40 } });
    expect(await stage.open(agent, AWAKE).resume()).toMatchObject(wanted);
  });

  it.each([
    undefined,
    at('after', 'run-resume'),
    at('before', 'slice-change'),
    at('after', 'slice-change'),
    at('before', 'ask-start'),
    at('after', 'ask-end'),
    at('after', 'spawn-end'),
    at('before', 'run-end'),
  ])('are equal under a larger budget too, and leave the rest to what is around them [R11-N5-EQUAL]', async (crash) => {
    const thirds = async (run: Run): Promise<Outcome<unknown>> => {
      const first = await run.spawn(async (on) => done(on.budget.limits.modelCalls), null, { of: 3 });
      const part = (on: Run): Promise<number> => on.sleep(10).then(() => on.budget.limits.modelCalls);
      const second = run.within({ of: 3 }, part);
      for (const n of [1, 2, 3]) await run.ask(session, `${n}`);
      return done([first.stop, await second, await run.within({ of: 3 }, part)]);
    };
    const stage = moving();
    expect(await stage.open(thirds, AWAKE).start(null, { modelCalls: 3 })).toMatchObject({ stop: 'bounded', limit: 3 });
    const life = stage.open(thirds, { ...AWAKE, ...(crash && { crash }) });
    const ended = life.resume({ budget: { modelCalls: 30 } });
    if (crash !== undefined) {
      await Promise.race([life.crashed, ended.then(() => Promise.reject(new Error('It ended without the crash.')))]);
      life.die();
    }
    const outcome = crash === undefined ? ended : stage.open(thirds, AWAKE).resume();
    expect(await outcome).toMatchObject({ stop: 'done', value: ['done', 9, 9] }); // a third of the 28 that are left
  });

  it('hold a bound that their slice does not name, unless it is shared [R11-N5-EVERY-AXIS]', async () => {
    const spawning = (slice: { readonly toolCalls: number; readonly shared?: true }) => async (run: Run) =>
      done(`child ${(await run.spawn(forever, null, slice)).stop}`);
    expect(
      await moving()
        .open(spawning({ toolCalls: 1 }))
        .start(null, { modelCalls: 5 }),
    ).toMatchObject({
      stop: 'done',
      value: 'child bounded',
      usage: { modelCalls: 2 },
    });
    const shared = await moving()
      .open(spawning({ toolCalls: 1, shared: true }))
      .start(null, { modelCalls: 5 });
    expect(shared).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 5 });
  });
});

describe('run.within', () => {
  it('holds its code to a part, and what is around it goes on with the rest [R11-N5-WITHIN]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const told = await run
        .within({ modelCalls: 2 }, async (on) => {
          for (;;) await on.ask(session, 'again');
        })
        .catch((error: unknown) => (error instanceof BoundReachedError ? `${error.node} ${error.bound}` : 'other'));
      const first = run.budget.remaining('modelCalls');
      const second = await run.within({ modelCalls: 2 }, async (on) => {
        await on.ask(session, 'once');
        return [on.budget.remaining('modelCalls'), run.budget.remaining('modelCalls')];
      });
      return done([told, first, second, run.budget.remaining('modelCalls')]);
    };
    expect(await moving().open(agent).start(null, { modelCalls: 10 })).toMatchObject({
      stop: 'done',
      value: ['/within.0 modelCalls', 8, [1, 6], 7],
    });
  });

  it('shares variables and calls with the code around it, also when that is replayed [R11-N5-WITHIN]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const board: string[] = [];
      await run.within({ share: 0.5 }, async (on) => {
        board.push((await on.call(work, 1)).content);
        board.push((await on.call(work, 2)).content);
      });
      await run.call(work, 3);
      const models = run.models();
      return done([board, run.calls().length, models]);
    };
    const wanted = { stop: 'done', value: [['worked 1', 'worked 2'], 3, []] };
    expect(await moving().open(agent).start()).toMatchObject(wanted);
    for (const plan of [at('after', 'intent', 2), at('after', 'intent', 3), at('before', 'run-end')]) {
      const stage = moving();
      await stage.crashed(agent, plan);
      expect(await stage.open(agent).resume()).toMatchObject(wanted);
    }
  });

  it('goes on with a part of a larger budget where its bound ended the run, and keeps it where the code went on [R11-N5-LIFTED]', async () => {
    const wanting =
      (caught: boolean) =>
      async (run: Run): Promise<Outcome<unknown>> => {
        const inside = run.within({ share: 0.5 }, async (on) => {
          for (let n = 0; n < 4; n++) await on.ask(session, `${n}`);
          return 'all four';
        });
        const value = caught ? await inside.catch(() => 'less') : await inside;
        await run.ask(session, 'after');
        await run.ask(session, 'after');
        await run.ask(session, 'after');
        return done(value);
      };
    const one = moving().open(wanting(false));
    expect(await one.start(null, { modelCalls: 4 })).toMatchObject({ stop: 'bounded', bound: 'modelCalls', limit: 2 });
    expect(await one.resume({ budget: { modelCalls: 20 } })).toMatchObject({ stop: 'done', value: 'all four' });
    const other = moving().open(wanting(true));
    expect(await other.start(null, { modelCalls: 4 })).toMatchObject({ stop: 'bounded', limit: 4 });
    expect(await other.resume({ budget: { modelCalls: 20 } })).toMatchObject({ stop: 'done', value: 'less' });
  });

  it('is no level of depth: six wrappers in one another run under the standard budget [R11-N5-DEPTH]', async () => {
    const withPart =
      (inner: Agent<string, string>): Agent<string, string> =>
      (run, input) =>
        run.within({ share: 0.9 }, (on) => inner(on, input));
    let agent: Agent<string, string> = async (run, input) => done((await run.ask(session, input)).text);
    for (let n = 0; n < 6; n++) agent = withPart(agent);
    expect(
      await moving()
        .open(agent as never)
        .start('x'),
    ).toMatchObject({ stop: 'done', value: 'x' });
    const isolated =
      (inner: Agent<string, string>): Agent<string, string> =>
      (run, input) =>
        run.spawn(inner, input, { share: 0.9 });
    let deep: Agent<string, string> = async (run, input) => done((await run.ask(session, input)).text);
    for (let n = 0; n < 6; n++) deep = isolated(deep);
    expect(
      await moving()
        .open(deep as never)
        .start('x'),
    ).toMatchObject({ stop: 'bounded', bound: 'depth', limit: 4 });
  });

  it('is what branches of each and some can have, each its own [R11-N5-BRANCHES]', async () => {
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const limits: number[] = [];
      const branches = [0, 1, 2, 3].map(() => async (on: Run) => on.budget.limits.modelCalls);
      for await (const one of run.each(branches, { width: 4, slice: { of: 4 } })) if (one.ok) limits.push(one.value);
      const votes = await run.some<unknown>([(on) => forever(on), async () => 'voted'], {
        need: 1,
        width: 1,
        slice: { modelCalls: 2 },
      });
      return done([limits, votes.map((vote) => (vote.ok ? vote.value : vote.error.constructor.name))]);
    };
    expect(await moving().open(agent).start(null, { modelCalls: 40 })).toMatchObject({
      stop: 'done',
      value: [
        [10, 10, 10, 10],
        ['BoundReachedError', 'voted'],
      ],
    });
  });

  it('lets what its code left in flight go on, for the account of the code around it [R11-N5-WITHIN]', async () => {
    const stage = moving();
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      let left: Promise<unknown> | undefined;
      await run.within({ modelCalls: 2 }, async (on) => {
        left = on.ask(session, 'later');
        await on.call(work, 1);
      });
      const asked = await left;
      return done([(asked as { readonly text: string }).text, run.budget.remaining('modelCalls')]);
    };
    expect(await stage.open(agent).start(null, { modelCalls: 40 })).toMatchObject({ stop: 'done', value: ['x', 39] });
  });
});
