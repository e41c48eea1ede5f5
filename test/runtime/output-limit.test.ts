import { done, type Model, memoryEngine, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { priceOf } from '../../packages/flyball/src/core/prices.js';
import { capabilitiesOf } from '../../packages/flyball/src/models/known-models.js';
import { moving } from './stage.js';

/** A model as its vendor sells it: long replies, real prices, and a scripted answer. */
function vendor(
  id: string,
  more: Partial<Model> = {},
): Model & { readonly requests: readonly { readonly sampling: unknown }[] } {
  const model = scriptedModel({ talker: () => ({ text: 'hello', usage: { input: 100, output: 50 } }) });
  const price = priceOf(id);
  if (price === undefined) throw new Error(`No price of ${id}.`);
  return { ...model, id, capabilities: { ...model.capabilities, ...capabilitiesOf(id) }, price, ...more };
}

const ask =
  (session: Session) =>
  async (run: Run): Promise<Outcome<unknown>> =>
    done((await run.ask(session, 'Hi.')).text);

describe('a small budget', () => {
  it.each(['openai/gpt-4.1', 'openai/gpt-5', 'openai/gpt-4o', 'openai/gpt-4.1-mini'])(
    'of 5 or 10 cents is enough to ask %s [F-K5]',
    async (id) => {
      for (const costUsd of [0.1, 0.05]) {
        const stage = moving(memoryEngine());
        const model = vendor(id, { paidAttempts: 3 }); // a router may have to try again
        const outcome = await stage.open(ask({ name: 'talker', model, setup: 'Talk.' })).start(null, { costUsd });
        expect(outcome).toMatchObject({ stop: 'done', value: 'hello' });
      }
    },
  );

  it('shortens the reply to what is left of it, tells the model and writes it down [F-K5]', async () => {
    const stage = moving();
    const model = vendor('openai/gpt-4.1');
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      await run.ask({ name: 'talker', model, setup: 'Talk.' }, 'First.');
      await run.ask({ name: 'talker', model, setup: 'Talk.' }, 'Second.');
      return done('both');
    });
    expect(await life.start(null, { tokensOut: 1000 })).toMatchObject({ stop: 'done' });
    const told = model.requests.map(({ sampling }) => sampling);
    expect(told).toEqual([{ maxOutputTokens: 1000 }, { maxOutputTokens: 950 }]);
    const asks = await stage.events('ask-start');
    expect(asks.map(({ maxOutputTokens, reserved }) => [maxOutputTokens, reserved.tokensOut])).toEqual([
      [1000, 1000],
      [950, 950],
    ]);
  });

  it('says what was wanted and what was left, where not even a short reply fits [F-K5]', async () => {
    const stage = moving();
    const model = vendor('openai/gpt-4.1');
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      for (let n = 0; n < 9; n++) await run.ask({ name: 'talker', model, setup: 'Talk.' }, `${n}`);
      return done('all');
    });
    const outcome = await life.start(null, { tokensOut: 400 });
    expect(outcome).toMatchObject({ stop: 'bounded', bound: 'tokensOut', limit: 400, wanted: 256, left: 250 });
    expect(await stage.events('trip')).toMatchObject([{ bound: 'tokensOut', spent: 150, wanted: 256, left: 250 }]);
  });

  it('asks for the whole length again once a larger budget has room for it [F-K5]', async () => {
    const stage = moving();
    const model = vendor('openai/gpt-4.1');
    const life = stage.open(ask({ name: 'talker', model, setup: 'Talk.' }));
    expect(await life.start(null, { tokensOut: 100 })).toMatchObject({ stop: 'bounded', wanted: 256, left: 100 });
    expect(await life.resume({ budget: { tokensOut: 100_000 } })).toMatchObject({ stop: 'done' });
    expect(model.requests.map(({ sampling }) => sampling)).toEqual([{ maxOutputTokens: 8192 }]);
  });
});

describe('the output limit of a session', () => {
  it('is a modest one, whatever its model could write, unless the session names another [F-K5]', async () => {
    for (const [sampling, limit] of [
      [undefined, 8192],
      [{ maxOutputTokens: 12_000 }, 12_000],
    ] as const) {
      const stage = moving();
      const model = vendor('openai/gpt-5');
      const session: Session = {
        name: 'talker',
        model,
        setup: 'Talk.',
        ...(sampling === undefined ? {} : { sampling }),
      };
      await stage.open(ask(session)).start();
      expect(await stage.events('ask-start')).toMatchObject([{ reserved: { tokensOut: limit } }]);
      expect(model.requests).toMatchObject([{ sampling: { maxOutputTokens: limit } }]);
    }
  });

  it('leaves room for three children one after the other [F-K5]', async () => {
    const stage = moving();
    const model = vendor('openai/gpt-4o');
    const session: Session = { name: 'talker', model, setup: 'Talk.' };
    const life = stage.open(async (run: Run): Promise<Outcome<unknown>> => {
      for (const name of ['a', 'b', 'c']) {
        const child = await run.spawn(ask(session), name, { share: 0.5 });
        if (child.stop !== 'done') return child;
      }
      return done('three');
    });
    expect(await life.start(null, { costUsd: 2 })).toMatchObject({ stop: 'done', value: 'three' });
  });
});
