import { changed, done, type Model, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel, turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { at, moving } from './stage.js';

const AWAKE = { options: { suspendAfterMs: 1e9 } };

/** A model that may write much and writes little. */
function verbose(maxOutputTokens: number): { readonly model: Model; readonly session: Session } {
  const q = async (): Promise<string> => {
    await turns(2);
    return 'short';
  };
  const model = scriptedModel({ q }, { capabilities: { maxOutputTokens } });
  return { model, session: { name: 'q', model, setup: '', sampling: { maxOutputTokens } } };
}

describe('a call that does not fit because of calls in flight', () => {
  it('waits for room: five samples of a model with 30,000 output tokens finish under 100,000 [R11-N5-LINE]', async () => {
    const stage = moving();
    const { session } = verbose(30_000);
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const samples = await run.all(
        [0, 1, 2, 3, 4].map(() => async (on: Run) => (await on.ask(session, 'x')).text),
        5,
      );
      return done(samples.map((one) => (one.ok ? one.value : one.error.message)));
    };
    expect(await stage.open(agent).start(null, { tokensOut: 100_000 })).toMatchObject({
      stop: 'done',
      value: Array(5).fill('short'),
    });
    expect(await stage.events('trip')).toEqual([]);
    const asked = await stage.events('ask-start');
    expect(asked.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4].map((n) => `/all.0.${n}#0`));
    // none was cut short
    expect(
      asked.every(({ reserved, maxOutputTokens }) => reserved.tokensOut === 30_000 && maxOutputTokens === undefined),
    ).toBe(true);
  });

  it('takes what there is once nothing is in flight, and is a bound where that is too little [R11-N5-LINE]', async () => {
    const { session } = verbose(30_000);
    const both = async (run: Run): Promise<Outcome<unknown>> => {
      await Promise.all([run.scope('a').ask(session, 'x'), run.scope('b').ask(session, 'y')]);
      return done(run.budget.spent().modelCalls);
    };
    const stage = moving();
    expect(await stage.open(both).start(null, { tokensOut: 30_000 })).toMatchObject({ stop: 'done', value: 2 });
    const [first, second] = await stage.events('ask-start');
    expect([first?.maxOutputTokens, (second?.maxOutputTokens ?? 0) > 29_000]).toEqual([undefined, true]);
    // a call is counted whatever becomes of it: nothing to wait for
    expect(await moving().open(both).start(null, { modelCalls: 1 })).toMatchObject({
      stop: 'bounded',
      bound: 'modelCalls',
    });
  });

  it('waits as a tool does that may change many lines, and not for a person [R11-N5-LINE]', async () => {
    const edit: Tool<number, string> = {
      name: 'edit',
      description: 'Edits.',
      effect: 'idempotent',
      reserve: () => ({ linesChanged: 80 }),
      execute: async (n) => {
        await turns(2);
        return changed(`edited ${n}`, { linesChanged: 5 });
      },
    };
    const many = async (run: Run): Promise<Outcome<unknown>> => {
      const results = await run.all(
        [0, 1, 2].map((n) => (on: Run) => on.call(edit, n)),
        3,
      );
      return done(results.map((one) => one.ok && one.value.content));
    };
    expect(await moving().open(many).start(null, { linesChanged: 100 })).toMatchObject({
      stop: 'done',
      value: ['edited 0', 'edited 1', 'edited 2'],
      usage: { linesChanged: 15 },
    });
    const gated: Tool<number, string> = { ...edit, name: 'gated', effect: { class: 'irreversible' } };
    const beside = async (run: Run): Promise<Outcome<unknown>> => {
      await Promise.all([run.scope('a').call(gated, 0), run.scope('b').call(edit, 1)]);
      return done(null);
    };
    expect(await moving().open(beside, AWAKE).start(null, { linesChanged: 100 })).toMatchObject({
      stop: 'bounded',
      bound: 'linesChanged',
    });
  });

  it('is in line again after a crash, and leaves it when its branch is given up [R11-N5-LINE]', async () => {
    const { session } = verbose(30_000);
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      const seen: unknown[] = [];
      const branches = [0, 1, 2, 3, 4, 5].map(() => async (on: Run) => (await on.ask(session, 'x')).text);
      for await (const one of run.each(branches, { width: 6 })) {
        seen.push(one.ok ? one.value : one.error.message);
        if (seen.length === 4) break;
      }
      return done(seen);
    };
    const wanted = { stop: 'done', value: ['short', 'short', 'short', 'short'] };
    expect(await moving().open(agent).start(null, { tokensOut: 60_000 })).toMatchObject(wanted);
    const stage = moving();
    await stage.crashed(agent, at('after', 'ask-start', 1), { limits: { tokensOut: 140_000 } });
    expect(await stage.open(agent).resume()).toMatchObject(wanted);
  });
});
