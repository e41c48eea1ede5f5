import { describe, expect, it } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.js';
import { answers, cutOff, fails, type Puppet, puppet, request, routed, serverError } from './routing.test-data.js';

const how = { key: 'k1', signal: new AbortController().signal };

describe('attempts that may have been paid for', () => {
  it('are one more than maxPaidFailures, never more than there are tries [R3-ROUTER-BUDGET]', async () => {
    const one = puppet('a/one', [answers('hi')]);
    const two = puppet('b/two', [answers('hi')], { paidAttempts: 3 });
    const paid = async (models: [Puppet, ...Puppet[]], retry: object) =>
      (await routed(virtualClock(), models, { retry })).model.paidAttempts;
    expect(await paid([one], {})).toBe(2);
    expect(await paid([one], { maxPaidFailures: 0 })).toBe(1);
    expect(await paid([one], { maxPaidFailures: 4 })).toBe(4); // 1 + 3 retries
    expect(await paid([one], { maxPaidFailures: 4, retries: 0 })).toBe(1);
    expect(await paid([one, two], { maxPaidFailures: 1, retries: 0 })).toBe(2 * 3);
  });

  it('end the call when they are used up, with what they may have cost at most [R3-ROUTER-BUDGET]', async () => {
    const one = puppet('a/one', [fails(cutOff())], { countTokens: 7 });
    const two = puppet('b/two', [fails(cutOff())], { countTokens: 7 });
    const three = puppet('c/three', [answers('never asked')]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one, two, three], { retry: { maxPaidFailures: 1 } });
    const reply = model.generate(request, how);
    const checked = expect(reply).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      detail: { mayHaveCost: true, wasted: { input: 14, output: 100 } },
    });
    await clock.advance(60_000);
    await checked;
    expect([one, two, three].map(({ requests }) => requests.length)).toEqual([1, 1, 0]);
  });

  it('are spent on another model in the end, after retries of the first [R3-ROUTER-FALLBACK]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(cutOff())]);
    const two = puppet('b/two', [answers('good day')]);
    const { model } = await routed(clock, [one, two], { retry: { maxPaidFailures: 2 } });
    const reply = model.generate(request, how);
    await clock.advance(60_000);
    expect(await reply).toMatchObject({ model: 'b/two', wasted: { input: 20, output: 100 } });
    expect(one.requests).toHaveLength(2);
  });

  it('are spent on the same model where none of the others could answer', async () => {
    const clock = virtualClock();
    const tool = { name: 'ls', description: 'Lists.', input: { type: 'object' } };
    const one = puppet('a/one', [fails(cutOff()), answers('hello')]);
    const mute = puppet('b/mute', [answers('no')], { capabilities: { tools: false } });
    const { model } = await routed(clock, [one, mute]);
    const reply = model.generate({ ...request, tools: [tool] }, how);
    await clock.advance(60_000);
    expect((await reply).text).toBe('hello');
    expect(mute.requests).toHaveLength(0);
  });

  it('are told in the reply that came after them [R3-ROUTER-BUDGET]', async () => {
    const one = puppet('a/one', [fails(cutOff()), fails(serverError()), answers('hello')]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one]);
    const reply = model.generate(request, how);
    await clock.advance(60_000);
    expect(await reply).toMatchObject({
      text: 'hello',
      usage: { input: 5, output: 2 },
      wasted: { input: 10, output: 50 },
    });
  });

  it('include those that a model made on its own account', async () => {
    const wasted = { input: 3, output: 4, cacheRead: 1 };
    const error = serverError();
    Object.assign(error.detail, { wasted });
    const one = puppet('a/one', [fails(error), answers('hello', { wasted })]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one]);
    const reply = model.generate(request, how);
    await clock.advance(60_000);
    expect((await reply).wasted).toEqual({ input: 6, output: 8, cacheRead: 2 });
  });

  it('leave no trace in a reply that came without them', async () => {
    const { model } = await routed(virtualClock(), [puppet('a/one', [answers('hello')])]);
    const reply = await model.generate(request, how);
    expect(Object.keys(reply).sort()).toEqual(['finish', 'text', 'toolCalls', 'usage']);
  });
});
