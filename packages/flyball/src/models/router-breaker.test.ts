import { describe, expect, it } from 'vitest';
import { virtualClock } from '../testing/virtual-clock.js';
import {
  answers,
  endOf,
  fails,
  hangs,
  puppet,
  rateLimited,
  rejected,
  request,
  routed,
  serverError,
} from './routing.test-data.js';

const how = { key: 'k1', signal: new AbortController().signal };
const strict = { retry: { retries: 0 }, breaker: { failures: 3, openMs: 10_000 } };

describe("a provider's circuit", () => {
  it('opens after failures in a row; then nothing is sent and the error says for how long [R3-ROUTER-BREAKER]', async () => {
    const one = puppet('a/one', [fails(serverError())]);
    const { model, events } = await routed(virtualClock(), [one], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await expect(model.generate(request, how)).rejects.toMatchObject({
      code: 'CIRCUIT_OPEN',
      retryable: true,
      message: expect.stringMatching(/^The server answered 500.*for another 10 s.*fallback/),
      detail: { provider: 'a', waitMs: 10_000 },
    });
    expect(one.requests).toHaveLength(3);
    expect(events).toContainEqual({ type: 'breaker-change', provider: 'a', from: 'closed', to: 'open' });
  });

  it('is shared by all models of the provider and by nobody else [R3-ROUTER-BREAKER]', async () => {
    const one = puppet('a/one', [fails(serverError())]);
    const sister = puppet('a/two', [answers('hi')]);
    const other = puppet('b/one', [answers('hi')]);
    const { router, model } = await routed(virtualClock(), [one, sister, other], { ...strict, fallback: {} });
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await router.load('a/two');
    await router.load('b/one');
    await expect(router.model('a/two').generate(request, how)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect((await router.model('b/one').generate(request, how)).text).toBe('hi');
  });

  it('that is open sends a call straight to its fallback [R3-ROUTER-BREAKER] [R3-ROUTER-FALLBACK]', async () => {
    const one = puppet('a/one', [fails(serverError())]);
    const two = puppet('b/two', [answers('good day')]);
    const { model, types, events } = await routed(virtualClock(), [one, two], strict);
    for (let n = 0; n < 3; n++) await model.generate(request, how);
    const before = events.length;
    expect((await model.generate(request, how)).model).toBe('b/two');
    expect(types().slice(before)).toEqual(['fallback-use', 'attempt-start', 'attempt-end']);
    expect(one.requests).toHaveLength(3);
  });

  it('is told of beside the failure of the fallback', async () => {
    const one = puppet('a/one', [fails(serverError())]);
    const { model } = await routed(virtualClock(), [one, puppet('b/two', [fails(rejected())])], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    expect(await endOf(model.generate(request, how))).toMatchObject({
      code: 'CIRCUIT_OPEN',
      retryable: true,
      message: expect.stringMatching(
        /^a\/one was not asked: The server answered 500.* a failed several times.* b\/two gave no answer in 1 try: /,
      ),
      detail: { tried: [{ tries: 0 }, { model: 'b/two', code: 'MODEL_REJECTED', tries: 1 }] },
    });
  });

  it.each([3_600_000, -3_600_000])('is open as long when the date is set by %i ms meanwhile [F-C6]', async (ms) => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(serverError()), fails(serverError()), fails(serverError()), answers('hello')]);
    const { model } = await routed(clock, [one], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    clock.jump(ms);
    await clock.advance(9_999);
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    await clock.advance(1);
    expect((await model.generate(request, how)).text).toBe('hello');
  });

  it('lets one trial in when its time is over, and closes when that succeeds [R3-ROUTER-BREAKER]', async () => {
    const clock = virtualClock();
    let answer = (): void => undefined;
    const one = puppet('a/one', [
      fails(serverError()),
      fails(serverError()),
      fails(serverError()),
      async (asked, context) => {
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return answers('hello')(asked, context);
      },
      answers('again'),
    ]);
    const { model, events } = await routed(clock, [one], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await clock.advance(9_999);
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    await clock.advance(1);
    const trial = model.generate(request, how);
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'CIRCUIT_OPEN' });
    answer();
    expect((await trial).text).toBe('hello');
    expect((await model.generate(request, how)).text).toBe('again');
    expect(events.filter(({ type }) => type === 'breaker-change')).toMatchObject([
      { from: 'closed', to: 'open' },
      { from: 'open', to: 'half-open' },
      { from: 'half-open', to: 'closed' },
    ]);
  });

  it('is not closed, nor its trial ended, by calls that began before it opened', async () => {
    const clock = virtualClock();
    let answerEarly = (): void => undefined;
    const failing = fails(serverError());
    const one = puppet('a/one', [
      async (asked, context) => {
        await new Promise<void>((resolve) => {
          answerEarly = resolve;
        });
        return answers('early')(asked, context);
      },
      failing,
      failing,
      failing,
      hangs,
    ]);
    const { model } = await routed(clock, [one], strict);
    const early = model.generate(request, how);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await clock.advance(10_000);
    const controller = new AbortController();
    const trial = endOf(model.generate(request, { key: 'trial', signal: controller.signal }));
    await clock.advance(1);
    answerEarly();
    expect((await early).text).toBe('early');
    expect(await endOf(model.generate(request, how))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    controller.abort();
    await trial;
    expect(one.requests).toHaveLength(5);
  });

  it('opens again when the trial fails [R3-ROUTER-BREAKER]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(serverError())]);
    const { model } = await routed(clock, [one], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await clock.advance(10_000);
    await endOf(model.generate(request, how));
    await clock.advance(9_999);
    expect(await endOf(model.generate(request, how))).toMatchObject({ code: 'CIRCUIT_OPEN' });
    expect(one.requests).toHaveLength(4);
  });

  it('gives the trial to the next one when the first is cancelled', async () => {
    const clock = virtualClock();
    const failing = fails(serverError());
    const one = puppet('a/one', [failing, failing, failing, hangs, answers('hello')]);
    const { model } = await routed(clock, [one], strict);
    for (let n = 0; n < 3; n++) await endOf(model.generate(request, how));
    await clock.advance(10_000);
    const controller = new AbortController();
    const trial = endOf(model.generate(request, { key: 'trial', signal: controller.signal }));
    await clock.advance(1);
    controller.abort(new Error('changed my mind'));
    expect(await trial).toMatchObject({ message: 'changed my mind' });
    expect((await model.generate(request, how)).text).toBe('hello');
  });

  it('stays closed over rate limits and rejections: the provider is there', async () => {
    const one = puppet('a/one', [fails(rateLimited()), fails(rejected())]);
    const { model, types } = await routed(virtualClock(), [one], strict);
    for (let n = 0; n < 10; n++) await endOf(model.generate(request, how));
    expect(one.requests).toHaveLength(10);
    expect(types()).not.toContain('breaker-change');
  });

  it('that opens between two tries ends the tries', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(serverError())]);
    const { model } = await routed(clock, [one], { retry: { retries: 9 }, breaker: { failures: 2, openMs: 60_000 } });
    const end = endOf(model.generate(request, how));
    await clock.advance(30_000);
    expect(await end).toMatchObject({
      code: 'CIRCUIT_OPEN',
      message: expect.stringContaining('a/one gave no answer in 2 tries'),
      detail: { tried: [{ tries: 2 }] },
    });
  });
});
