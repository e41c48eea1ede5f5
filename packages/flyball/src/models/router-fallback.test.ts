import { describe, expect, it } from 'vitest';
import { CancelledError } from '../core/errors.js';
import type { ModelRequest } from '../core/model.js';
import { virtualClock } from '../testing/virtual-clock.js';
import {
  answers,
  fails,
  puppet,
  rateLimited,
  rejected,
  replyOf,
  request,
  routed,
  serverError,
  windowExceeded,
} from './routing.test-data.js';

const how = { key: 'k1', signal: new AbortController().signal };
const tool = { name: 'ls', description: 'Lists.', input: { type: 'object' } };

describe('a fallback', () => {
  it('answers when the first model is out of tries, and the reply says who answered [R3-ROUTER-FALLBACK]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(serverError())]);
    const two = puppet('b/two', [answers('good day')]);
    const { model, events } = await routed(clock, [one, two], { retry: { retries: 1 } });
    const reply = model.generate(request, how);
    await clock.advance(60_000);
    expect(await reply).toMatchObject({ text: 'good day', model: 'b/two' });
    expect([one.requests.length, two.requests.length]).toEqual([2, 1]);
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'fallback-use', from: 'a/one', to: 'b/two', key: 'k1' }),
    );
  });

  it('that refuses a temperature is sent none, and no topP: they were meant for the first model [F-E1] [R11-N10-TOP-P]', async () => {
    const told = { ...request, sampling: { temperature: 0.2, topP: 0.9, reasoningEffort: 'low' } };
    for (const [capabilities, sampling] of [
      [{ temperature: false }, { reasoningEffort: 'low' }],
      [{}, { temperature: 0.2, topP: 0.9, reasoningEffort: 'low' }],
    ] as const) {
      const two = puppet('b/two', [answers('hi')], { capabilities });
      const { model } = await routed(virtualClock(), [puppet('a/one', [fails(rejected())]), two]);
      await model.generate(told, how);
      expect(two.requests[0]?.sampling).toEqual(sampling);
    }
  });

  it('answers at once when the first model is rejected or wants too much time [R3-ROUTER-FALLBACK]', async () => {
    for (const error of [rejected(), rateLimited(3_600_000)]) {
      const { model } = await routed(virtualClock(), [
        puppet('a/one', [fails(error)]),
        puppet('b/two', [answers('hi')]),
      ]);
      expect((await model.generate(request, how)).model).toBe('b/two');
    }
  });

  it('is tried in order, each with tries of its own; the end tells of all of them [R3-ROUTER-FALLBACK]', async () => {
    const clock = virtualClock();
    const models = [
      puppet('a/one', [fails(serverError())]),
      puppet('b/two', [fails(rejected())]),
      puppet('c/three', [fails(serverError())]),
    ] as const;
    const { model } = await routed(clock, models, { retry: { retries: 1 } });
    const checked = expect(model.generate(request, how)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE', // of the model that was asked
      retryable: true,
      message:
        'a/one gave no answer in 2 tries: The server answered 500. b/two gave no answer in 1 try: The server answered 401. c/three gave no answer in 2 tries: The server answered 500.',
      detail: {
        tried: [{ model: 'a/one' }, { model: 'b/two', code: 'MODEL_REJECTED', tries: 1 }, { model: 'c/three' }],
      },
    });
    await clock.advance(60_000);
    await checked;
    expect(models.map(({ requests }) => requests.length)).toEqual([2, 1, 2]);
  });

  it('that failed in passing makes the whole call worth repeating', async () => {
    const models = [puppet('a/one', [fails(rejected())]), puppet('b/two', [fails(serverError())])] as const;
    const { model } = await routed(virtualClock(), models, { retry: { retries: 0 } });
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'MODEL_REJECTED', retryable: true });
  });

  it('is not asked after a cancellation that the model itself reports', async () => {
    const two = puppet('b/two', [answers('hi')]);
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(new CancelledError('by hand'))]), two]);
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(two.requests).toHaveLength(0);
  });

  it('is asked after an exceeded window only if its own is larger than any that was [R3-ROUTER-FALLBACK]', async () => {
    const one = puppet('a/one', [fails(windowExceeded())], { capabilities: { window: 1_000 } });
    const same = puppet('b/same', [answers('no')], { capabilities: { window: 1_000 } });
    const large = puppet('c/large', [fails(windowExceeded())], { capabilities: { window: 5_000 } });
    const middle = puppet('d/middle', [answers('no')], { capabilities: { window: 3_000 } });
    const largest = puppet('e/largest', [answers('yes')], { capabilities: { window: 9_000 } });
    const { model, events } = await routed(virtualClock(), [one, same, large, middle, largest]);
    expect(await model.generate(request, how)).toMatchObject({ text: 'yes', model: 'e/largest' });
    expect([same.requests.length, middle.requests.length]).toEqual([0, 0]);
    expect(events.filter(({ type }) => type === 'fallback-skip')).toMatchObject([
      { model: 'b/same', why: expect.stringContaining('1000') },
      { model: 'd/middle', why: expect.stringContaining('3000') },
    ]);
  });

  it('with no window large enough leaves the first failure as it is', async () => {
    const error = windowExceeded();
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(error)]), puppet('b/two', [answers('no')])]);
    await expect(model.generate(request, how)).rejects.toBe(error);
  });

  it('that cannot call tools is passed over when there are tools', async () => {
    const mute = puppet('b/mute', [answers('no')], { capabilities: { tools: false } });
    const { model } = await routed(virtualClock(), [
      puppet('a/one', [fails(rejected())]),
      mute,
      puppet('c/three', [answers('yes')]),
    ]);
    expect((await model.generate({ ...request, tools: [tool] }, how)).model).toBe('c/three');
    expect((await model.generate(request, how)).model).toBe('b/mute');
  });
});

describe('the request of a fallback', () => {
  const asked: ModelRequest = {
    ...request,
    messages: [
      { role: 'user', content: 'Think.' },
      { role: 'assistant', content: 'I did.', reasoning: { text: 'hm', opaque: { signature: 'of a' } } },
    ],
    sampling: { maxOutputTokens: 80, temperature: 0 },
  };

  it('bears its own name, fits its output limit and carries no reasoning of another vendor', async () => {
    const two = puppet('b/two', [answers('hi')], { capabilities: { maxOutputTokens: 20 } });
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(rejected())]), two]);
    await model.generate(asked, how);
    expect(two.requests).toEqual([
      {
        ...asked,
        model: 'b/two',
        messages: [asked.messages[0], { role: 'assistant', content: 'I did.' }],
        sampling: { maxOutputTokens: 20, temperature: 0 },
      },
    ]);
  });

  it('keeps the reasoning where the vendor is the same', async () => {
    const two = puppet('a/two', [answers('hi')]);
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(rejected())]), two]);
    await model.generate(asked, how);
    expect(two.requests[0]?.messages).toEqual(asked.messages);
  });

  it('leaves an output limit open that was open', async () => {
    const two = puppet('b/two', [answers('hi')]);
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(rejected())]), two]);
    await model.generate({ ...request, sampling: {} }, how);
    expect(two.requests[0]?.sampling).toEqual({});
  });
});

describe('the reply of a fallback', () => {
  const thoughtful = async () => replyOf('hi', { opaqueReasoning: { signature: 'of b' } });

  it('brings no opaque reasoning of another vendor into the next turn, which asks the first model again', async () => {
    const { model } = await routed(virtualClock(), [
      puppet('a/one', [fails(rejected())]),
      puppet('b/two', [thoughtful]),
    ]);
    expect(await model.generate(request, how)).not.toHaveProperty('opaqueReasoning');
  });

  it('keeps it where the vendor is the same', async () => {
    const { model } = await routed(virtualClock(), [
      puppet('a/one', [fails(rejected())]),
      puppet('a/two', [thoughtful]),
    ]);
    expect(await model.generate(request, how)).toMatchObject({ opaqueReasoning: { signature: 'of b' } });
  });
});

describe('a model with fallbacks', () => {
  it('lists them with their prices and counts tokens as the one that counts most [R3-ROUTER-FALLBACK]', async () => {
    const price = { input: 9, output: 9 };
    const deep = puppet('c/three', [answers('hi')]);
    const two = { ...puppet('b/two', [answers('hi')], { price, countTokens: 99 }), fallbacks: [deep] };
    const one = puppet('a/one', [answers('hi')], { price: { input: 1, output: 1 }, countTokens: 5 });
    const { model } = await routed(virtualClock(), [one, two]);
    expect(model).toMatchObject({ id: 'a/one', price: { input: 1, output: 1 }, capabilities: one.capabilities });
    expect(model.fallbacks).toEqual([two, deep]);
    expect(model.countTokens(request)).toBe(99);
  });

  it('has no list without any', async () => {
    const { model } = await routed(virtualClock(), [puppet('a/one', [answers('hi')])]);
    expect(model).not.toHaveProperty('fallbacks');
    expect(model).not.toHaveProperty('price');
  });
});
