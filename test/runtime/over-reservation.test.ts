import { changed, done, type Outcome, type Run, type Session, type Tool } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { moving } from './stage.js';

/** Somebody reports more than was reserved: the books say so, and nothing beyond a bound is called done. */

function greedy(): Session {
  const model = scriptedModel({ talker: () => ({ text: 'x', usage: { input: 10, output: 5000 } }) });
  return { name: 'talker', model, setup: 'Talk.', sampling: { maxOutputTokens: 100 } };
}

const editor: Tool<unknown, string> = {
  name: 'edit',
  description: 'Edits files.',
  effect: 'idempotent',
  reserve: () => ({ filesChanged: 1 }),
  execute: async () => changed('edited', { filesChanged: 50 }) as unknown as string,
};

describe('a model that reports more than its maximum', () => {
  it('is bounded at the next effect, with the usage it reported and an alert [F-C10]', async () => {
    const stage = moving();
    const session = greedy();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 20; n++) await run.ask(session, `${n}`);
      return done('all');
    });
    expect(await life.start(null, { tokensOut: 1000 })).toMatchObject({
      stop: 'bounded',
      bound: 'tokensOut',
      usage: { modelCalls: 1, tokensOut: 5000 },
    });
    const alerts = await stage.events('operator-alert');
    expect(alerts).toMatchObject([{ alert: 'over-reservation', effect: '#0' }]);
    expect(alerts[0]?.why).toContain('5000 tokensOut where 100 were reserved');
  });

  it('is bounded at its end, where nothing follows: side by side, too [F-C10]', async () => {
    const stage = moving();
    const session = greedy();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      const settled = await run.all(
        [1, 2, 3].map((n) => (on: Run) => on.ask(session, `${n}`)),
        3,
      );
      return done(settled.length);
    });
    expect(await life.start(null, { tokensOut: 1000 })).toMatchObject({
      stop: 'bounded',
      bound: 'tokensOut',
      limit: 1000,
      partial: 3,
      usage: { tokensOut: 15_000 },
    });
    expect(await stage.events('operator-alert')).toHaveLength(3);
    await expect(life.resume({ budget: { tokensOut: 900 } })).rejects.toThrow(/tokensOut = 1000/);
    expect(await life.resume({ budget: { tokensOut: 20_000 } })).toMatchObject({ stop: 'done', value: 3 });
  });
});

describe('a tool that changes more than it reserved', () => {
  it('ends the run bounded with its value as partial, not done [F-W6]', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.call(editor, {});
      return done('edited');
    });
    expect(await life.start(null, { filesChanged: 4 })).toMatchObject({
      stop: 'bounded',
      bound: 'filesChanged',
      limit: 4,
      partial: 'edited',
      usage: { filesChanged: 50 },
    });
    expect(await stage.events('operator-alert')).toMatchObject([{ alert: 'over-reservation' }]);
  });

  it('bounds the child that it worked for [F-W6]', async () => {
    const life = moving().open(async (run: Run): Promise<Outcome<unknown>> => {
      const child = await run.spawn(
        async (on: Run): Promise<Outcome<unknown>> => {
          await on.call(editor, {});
          return done('edited');
        },
        null,
        { filesChanged: 4 },
      );
      return done([child.stop, child.stop === 'bounded' && child.partial]);
    });
    expect(await life.start(null, { filesChanged: 100 })).toMatchObject({ value: ['bounded', 'edited'] });
  });

  it('is done where the limit has room for it, and somebody is told', async () => {
    const stage = moving();
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => done((await run.call(editor, {})).content));
    expect(await life.start(null, { filesChanged: 100 })).toMatchObject({ stop: 'done', usage: { filesChanged: 50 } });
    expect(await stage.events('operator-alert')).toHaveLength(1);
  });

  it('says nothing where it keeps to what it reserved', async () => {
    const stage = moving();
    const modest: Tool<unknown, string> = {
      ...editor,
      execute: async () => changed('edited', { filesChanged: 1 }) as unknown as string,
    };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => done((await run.call(modest, {})).content));
    expect(await life.start(null, { filesChanged: 1 })).toMatchObject({ stop: 'done' });
    expect(await stage.events('operator-alert')).toEqual([]);
  });
});
