import { done, type Model, type Outcome, type Run, type Session } from 'flyball';
import { scriptedModel } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { openAiModel } from '../../packages/flyball/src/adapters/model-http/openai-model.js';
import { tellingUsage } from '../../packages/flyball/src/core/streamed-usage.js';
import { at, moving } from './stage.js';

/** Answers what is asked with a number below three. Of anything else it has streamed one token when nothing more comes. */
function stalling(told: 'told' | 'untold'): { readonly model: Model; readonly session: Session } {
  const like = scriptedModel({}, { capabilities: { maxOutputTokens: 1_000 } });
  const model: Model = {
    ...like,
    price: { input: 0, output: 1 },
    countTokens: () => 1,
    generate: async ({ messages }, { onUsage, signal }) => {
      if (told === 'told') onUsage?.({ input: 1, output: 1 });
      if (Number(messages.at(-1)?.content) < 3)
        return { text: '18', toolCalls: [], finish: 'stop', usage: { input: 1, output: 1 } };
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    },
  };
  return { model, session: { name: 'q', model, setup: '', sampling: { maxOutputTokens: 1_000 } } };
}

/** Five samples, of which three that agree are enough. */
const voting =
  (session: Session) =>
  async (run: Run): Promise<Outcome<unknown>> => {
    const samples = [0, 1, 2, 3, 4].map((n) => async (on: Run) => (await on.ask(session, `${n}`)).text);
    const votes = await run.some(samples, { need: 3, width: 5 });
    const left = run.budget.remaining('tokensOut');
    await run.step('look', left, () => 'seen', 'pure');
    return done([votes.length, left]);
  };

describe('a model call that is aborted', () => {
  it('is charged what was streamed, where its adapter told: early stop of five samples books five [R11-N5-STREAMED]', async () => {
    const stage = moving();
    const outcome = await stage.open(voting(stalling('told').session)).start(null, { tokensOut: 100_000 });
    expect(outcome).toMatchObject({ stop: 'done', value: [3, 99_995], usage: { modelCalls: 5, tokensOut: 5 } });
    expect(outcome.usage).not.toHaveProperty('possibly');
    const cut = (await stage.events('ask-end')).filter(({ cutOff }) => cutOff === true);
    expect(cut.map(({ spent, failure }) => [spent.tokensOut, failure?.code])).toEqual([
      [1, 'CANCELLED'],
      [1, 'CANCELLED'],
    ]);
  });

  it('may have cost all that was reserved where nobody told [R11-N5-STREAMED]', async () => {
    const outcome = await moving()
      .open(voting(stalling('untold').session))
      .start(null, { tokensOut: 100_000 });
    expect(outcome).toMatchObject({ stop: 'done', usage: { tokensOut: 3, possibly: { tokensOut: 2_000 } } });
  });

  it('is charged the same in every life [R11-N5-STREAMED]', async () => {
    for (const plan of [at('before', 'run-end'), at('after', 'run-end')]) {
      const stage = moving();
      const { session } = stalling('told');
      await stage.crashed(voting(session), plan, { limits: { tokensOut: 100_000 } });
      const outcome = await stage
        .open(voting(session))
        .resume()
        .catch(() => undefined);
      const end = outcome ?? (await stage.events('run-end')).at(-1)?.outcome;
      expect(end).toMatchObject({ stop: 'done', value: [3, 99_995], usage: { tokensOut: 5 } });
    }
  });

  it('is asked again under a larger budget where a bound cut it off [R11-N5-STREAMED]', async () => {
    const { session } = stalling('told');
    const agent = async (run: Run): Promise<Outcome<unknown>> => {
      for (const n of [0, 1, 2]) await run.ask(session, `${n}`);
      await Promise.all([run.scope('a').ask(session, 'a'), (async () => run.budget.take('iterations'))()]);
      return done('went on');
    };
    const life = moving().open(agent);
    expect(await life.start(null, { iterations: 0 })).toMatchObject({ stop: 'bounded', bound: 'iterations' });
    const again = life.resume({ budget: { iterations: 1 } });
    await life.runtime.cancel('run', { by: 'ann', why: 'it hangs, as it must' });
    expect((await again).stop).toBe('cancelled');
  });

  it('is counted by its adapter from what it streams, never too low [R11-N5-STREAMED]', () => {
    const told: unknown[] = [];
    const request = { session: 'q', model: 'm', messages: [], tools: [], toolChoice: 'auto', sampling: {} } as const;
    const model = openAiModel({ id: 'a/b', baseUrl: 'http://localhost:1' });
    const onDelta = tellingUsage({ onUsage: (usage) => void told.push(usage) }, request, {
      request: model.countTokens,
      text: undefined,
    });
    onDelta?.({ type: 'text', text: 'four' });
    onDelta?.({ type: 'tool-call', id: 'c', name: 'now', arguments: '{}' });
    const input = model.countTokens(request);
    expect(told).toEqual([
      { input, output: 4 },
      { input, output: 9 },
    ]);
  });
});
