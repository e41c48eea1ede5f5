import { describe, expect, it } from 'vitest';
import type { ModelDelta } from '../core/model.js';
import { virtualClock } from '../testing/virtual-clock.js';
import {
  answers,
  breaksOff,
  cutOff,
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

describe('a retryable failure', () => {
  it('is retried after waits that double, with jitter, until a reply comes [R3-ROUTER-RETRY]', async () => {
    const one = puppet('a/one', [fails(serverError()), fails(serverError()), answers('hello')]);
    const clock = virtualClock();
    const { model, waits, events } = await routed(clock, [one], {
      retry: { baseDelayMs: 100, jitterMs: 40, maxDelayMs: 1_000 },
    });
    const began = clock.now();
    const reply = model.generate(request, how);
    await clock.advance(119);
    expect(one.requests).toHaveLength(1); // 100 + 0.5 · 40 = 120
    await clock.advance(1);
    expect(one.requests).toHaveLength(2);
    await clock.advance(219);
    expect(one.requests).toHaveLength(2);
    await clock.advance(1);
    expect(await reply).toEqual({ ...(await answers('hello')(request, how)) });
    expect([waits(), clock.now() - began]).toEqual([[120, 220], 340]);
    expect(events.map(({ type }) => type)).toEqual([
      'attempt-start',
      'attempt-end',
      'retry-wait',
      'attempt-start',
      'attempt-end',
      'retry-wait',
      'attempt-start',
      'attempt-end',
    ]);
    expect(clock.pending()).toEqual([]);
  });

  it('is waited out for as long as Retry-After says [R3-ROUTER-RETRY]', async () => {
    const one = puppet('a/one', [fails(rateLimited(7_000)), answers('hello')]);
    const clock = virtualClock();
    const { model, events } = await routed(clock, [one]);
    const reply = model.generate(request, how);
    await clock.advance(6_999);
    expect(one.requests).toHaveLength(1);
    await clock.advance(1);
    expect((await reply).text).toBe('hello');
    expect(events).toContainEqual({
      type: 'retry-wait',
      key: 'k1',
      model: 'a/one',
      retry: 1,
      waitMs: 7_000,
      askedMs: 7_000,
    });
  });

  it('that asks for more patience than allowed is handed to the caller when there is no other model [R3-ROUTER-RETRY]', async () => {
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(rateLimited(3_600_000))])]);
    await expect(model.generate(request, how)).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      detail: { retryAfterMs: 3_600_000 },
    });
  });

  it('ends the call when the retries are used up, with what was tried [R3-ROUTER-RETRY]', async () => {
    const one = puppet('a/one', [fails(serverError())]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one], { retry: { retries: 2 } });
    const reply = model.generate(request, how);
    const checked = expect(reply).rejects.toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: true,
      message: 'a/one gave no answer in 3 tries: The server answered 500.',
      detail: { status: 500, tried: [{ model: 'a/one', code: 'MODEL_UNAVAILABLE', tries: 3 }] },
    });
    await clock.advance(60_000);
    await checked;
    expect(one.requests).toHaveLength(3);
  });

  it('keeps its key and its request over all tries', async () => {
    const keys: string[] = [];
    const one = puppet('a/one', [
      async (_, context) => {
        keys.push(context.key);
        throw serverError();
      },
    ]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one], { retry: { retries: 1 } });
    const reply = model.generate(request, how).catch(() => 'failed');
    await clock.advance(60_000);
    await reply;
    expect(keys).toEqual(['k1', 'k1']);
    expect(one.requests).toEqual([request, request]);
  });
});

describe('a failure that cannot be retried', () => {
  it('comes back as it is, after one try', async () => {
    const error = rejected();
    const one = puppet('a/one', [fails(error)]);
    const { model } = await routed(virtualClock(), [one]);
    await expect(model.generate(request, how)).rejects.toBe(error);
    expect(one.requests).toHaveLength(1);
  });

  it('of an unexpected kind keeps its cause and counts as paid: what it cost is unknown [R3-ROUTER-BUDGET]', async () => {
    const cause = new TypeError('x is undefined');
    const two = puppet('b/two', [answers('never asked')]);
    const { model } = await routed(virtualClock(), [puppet('a/one', [fails(cause)]), two]);
    const error = await model.generate(request, how).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'MODEL_UNAVAILABLE',
      retryable: false,
      detail: { wasted: { input: 10, output: 50 } },
    });
    expect(((error as Error).cause as Error).cause).toBe(cause);
    expect(two.requests).toHaveLength(0); // a defect must be seen, not covered up
  });

  it('is a failure too when the model throws before it returns a promise', async () => {
    const one = { ...puppet('a/one', []), generate: () => { throw rejected(); } }; // biome-ignore format: one line
    const { model } = await routed(virtualClock(), [one]);
    await expect(model.generate(request, how)).rejects.toMatchObject({ code: 'MODEL_REJECTED' });
  });
});

describe('a call past its timeout', () => {
  it('is aborted and tried again, and counts as one that may be paid for [R3-ROUTER-TIMEOUT]', async () => {
    const one = puppet('a/one', [hangs, answers('hello')]);
    const clock = virtualClock();
    const { model, events } = await routed(clock, [one], { timeoutMs: 5_000 });
    const reply = model.generate(request, how);
    await clock.advance(4_999);
    expect(one.signals[0]?.aborted).toBe(false);
    await clock.advance(1);
    expect(one.signals[0]?.aborted).toBe(true);
    await clock.advance(60_000);
    expect(await reply).toMatchObject({ text: 'hello', wasted: { input: 10, output: 50 } });
    expect(events.find(({ type }) => type === 'attempt-end')).toMatchObject({
      ok: false,
      ms: 5_000,
      failure: { code: 'MODEL_UNAVAILABLE', retryable: true, detail: { mayHaveCost: true, timeoutMs: 5_000 } },
      wasted: { input: 10, output: 50 },
    });
  });

  it('is over for the caller even if the model does not listen, and its late words are not heard [R3-ROUTER-TIMEOUT]', async () => {
    let speak = (): void => undefined;
    const deaf = puppet('a/one', [
      (_, context) =>
        new Promise(() => {
          speak = () => context.onDelta?.({ type: 'text', text: 'too late' });
        }),
      answers('hello'),
    ]);
    const clock = virtualClock();
    const { model } = await routed(clock, [deaf], { timeoutMs: 1_000 });
    const deltas: ModelDelta[] = [];
    const reply = model.generate(request, { ...how, onDelta: (delta) => deltas.push(delta) });
    await clock.advance(1_000);
    speak();
    await clock.advance(60_000);
    expect((await reply).text).toBe('hello');
    expect(deltas).toEqual([{ type: 'text', text: 'hello' }]);
  });
});

describe('what a failed try has streamed', () => {
  it('is void: a restart comes before the next try [R3-ROUTER-RETRY]', async () => {
    const one = puppet('a/one', [breaksOff('hel', cutOff()), fails(serverError()), answers('hello')]);
    const clock = virtualClock();
    const { model } = await routed(clock, [one]);
    const deltas: ModelDelta[] = [];
    const reply = model.generate(request, { ...how, onDelta: (delta) => deltas.push(delta) });
    await clock.advance(60_000);
    await reply;
    expect(deltas).toEqual([
      { type: 'text', text: 'hel' },
      { type: 'restart', why: 'The stream was cut.' }, // one: the second failure had streamed nothing
      { type: 'text', text: 'hello' },
    ]);
  });

  it('is void before another model answers, too [R3-ROUTER-FALLBACK]', async () => {
    const one = puppet('a/one', [breaksOff('hel', rejected())]);
    const { model } = await routed(virtualClock(), [one, puppet('b/two', [answers('good day')])]);
    const deltas: ModelDelta[] = [];
    await model.generate(request, { ...how, onDelta: (delta) => deltas.push(delta) });
    expect(deltas.map(({ type }) => type)).toEqual(['text', 'restart', 'text']);
  });

  it('stays when nothing follows', async () => {
    const { model } = await routed(virtualClock(), [puppet('a/one', [breaksOff('hel', rejected())])]);
    const deltas: ModelDelta[] = [];
    const reply = model.generate(request, { ...how, onDelta: (delta) => deltas.push(delta) });
    await expect(reply).rejects.toMatchObject({ code: 'MODEL_REJECTED' });
    expect(deltas).toEqual([{ type: 'text', text: 'hel' }]);
  });
});
