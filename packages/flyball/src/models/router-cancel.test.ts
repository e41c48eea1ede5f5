import { getEventListeners, setMaxListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { turns } from '../testing/turns.js';
import { virtualClock } from '../testing/virtual-clock.js';
import { answers, endOf, fails, hangs, puppet, rateLimited, request, routed } from './routing.test-data.js';

const reason = new Error('no longer wanted');
const listeners = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

describe("the caller's abort", () => {
  it('ends a call in flight at once, aborts it, and asks nobody else [R3-ROUTER-TIMEOUT]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [hangs]);
    const two = puppet('b/two', [answers('never asked')]);
    const { model, events } = await routed(clock, [one, two]);
    const controller = new AbortController();
    const end = endOf(model.generate(request, { key: 'k', signal: controller.signal }));
    await turns();
    controller.abort(reason);
    expect(await end).toBe(reason);
    expect(one.signals[0]?.reason).toBe(reason);
    expect(two.requests).toHaveLength(0);
    expect(events.at(-1)).toMatchObject({ type: 'attempt-end', ok: false, cancelled: true });
    expect([clock.pending(), listeners(controller.signal), one.inFlight.now]).toEqual([[], 0, 0]);
  });

  it('ends a call in line, and the place goes to the next one [R3-ROUTER-TIMEOUT]', async () => {
    const clock = virtualClock();
    let free = (): void => undefined;
    const one = puppet('a/one', [
      async (asked, context) => {
        await new Promise<void>((resolve) => {
          free = resolve;
        });
        return answers('first')(asked, context);
      },
      answers('third'),
    ]);
    const { model, events } = await routed(clock, [one], { concurrency: { limit: 1 } });
    const controller = new AbortController();
    const first = model.generate(request, { key: 'k1', signal: new AbortController().signal });
    const second = endOf(model.generate(request, { key: 'k2', signal: controller.signal }));
    const third = model.generate(request, { key: 'k3', signal: new AbortController().signal });
    await turns();
    controller.abort(reason);
    expect(await second).toBe(reason);
    free();
    expect([(await first).text, (await third).text]).toEqual(['first', 'third']);
    expect(one.requests).toHaveLength(2);
    expect(events.filter(({ type }) => type === 'line-wait')).toEqual([
      { type: 'line-wait', key: 'k2', model: 'a/one', ahead: 0 },
      { type: 'line-wait', key: 'k3', model: 'a/one', ahead: 1 },
    ]);
    expect([clock.pending(), listeners(controller.signal)]).toEqual([[], 0]);
  });

  it('ends the wait before a retry, and takes the timer back [R3-ROUTER-TIMEOUT]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(rateLimited(20_000)), answers('never asked')]);
    const { model } = await routed(clock, [one]);
    const controller = new AbortController();
    const end = endOf(model.generate(request, { key: 'k', signal: controller.signal }));
    await turns();
    expect(clock.pending()).toHaveLength(1);
    controller.abort(reason);
    expect(await end).toBe(reason);
    expect([clock.pending(), listeners(controller.signal), one.requests.length]).toEqual([[], 0, 1]);
  });

  it('before the call keeps it from being made', async () => {
    const one = puppet('a/one', [answers('never asked')]);
    const { model } = await routed(virtualClock(), [one]);
    await expect(model.generate(request, { key: 'k', signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(one.requests).toHaveLength(0);
  });

  it.each(['attempt-start', 'retry-wait'] as const)('at the very moment of %s ends the call too', async (moment) => {
    const clock = virtualClock();
    const controller = new AbortController();
    const one = puppet('a/one', [fails(rateLimited(20_000)), answers('never asked')]);
    const { model } = await routed(clock, [one], {
      observe: ({ type }) => {
        if (type === moment) controller.abort(reason);
      },
    });
    expect(await endOf(model.generate(request, { key: 'k', signal: controller.signal }))).toBe(reason);
    expect([clock.pending(), listeners(controller.signal)]).toEqual([[], 0]);
    expect(one.requests).toHaveLength(moment === 'attempt-start' ? 0 : 1);
  });

  it('is passed on with its own reason also when the model answers it with another error', async () => {
    const one = puppet('a/one', [
      (_, context) =>
        new Promise((_resolve, reject) => {
          context.signal.addEventListener('abort', () => reject(new TypeError('socket closed')), { once: true });
        }),
    ]);
    const { model } = await routed(virtualClock(), [one]);
    const controller = new AbortController();
    const end = endOf(model.generate(request, { key: 'k', signal: controller.signal }));
    await turns();
    controller.abort(reason);
    expect(await end).toBe(reason);
  });
});

describe('a signal that many calls share', () => {
  it('has no listener more after 1,000 calls, some of which failed or waited [R3-ROUTER-TIMEOUT]', async () => {
    const clock = virtualClock();
    const { signal } = new AbortController();
    setMaxListeners(0, signal); // a hundred at a time is meant here
    const one = puppet('a/one', [
      fails(rateLimited(10)),
      ...Array.from({ length: 2_000 }, (_, n) => (n % 7 === 0 ? fails(rateLimited(10)) : answers('hi'))),
    ]);
    const { model } = await routed(clock, [one], {
      concurrency: { limit: 10 },
      retry: { baseDelayMs: 1, jitterMs: 0 },
    });
    let most = 0;
    for (let round = 0; round < 10; round++) {
      const calls = Array.from({ length: 100 }, (_, n) => model.generate(request, { key: `${round}-${n}`, signal }));
      await turns(1);
      most = Math.max(most, listeners(signal));
      await clock.advance(1_000);
      expect((await Promise.all(calls)).every(({ text }) => text === 'hi')).toBe(true);
    }
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(100); // never more than one a call
    expect([listeners(signal), clock.pending()]).toEqual([0, []]);
    expect(one.inFlight.most).toBe(10);
  });
});

describe('calls to one provider', () => {
  it('are limited together over its models; another provider has a limit of its own [R3-ROUTER-CONCURRENCY]', async () => {
    const models = [puppet('a/one', [hangs]), puppet('a/two', [hangs]), puppet('b/one', [hangs])] as const;
    const { router } = await routed(virtualClock(), models, {
      fallback: {},
      concurrency: { limit: 3, providers: { b: 1 } },
    });
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const calls: Promise<unknown>[] = [];
    for (const { id } of models) {
      const model = await router.load(id);
      for (let n = 0; n < 5; n++)
        calls.push(endOf(model.generate(request, { key: `${id}-${n}`, signal: controller.signal })));
    }
    await turns();
    expect(models.map(({ inFlight }) => inFlight.now)).toEqual([3, 0, 1]);
    controller.abort(reason);
    expect(await Promise.all(calls)).toEqual(Array.from({ length: 15 }, () => reason));
  });

  it('free their place while they wait for a retry [R3-ROUTER-CONCURRENCY]', async () => {
    const clock = virtualClock();
    const one = puppet('a/one', [fails(rateLimited(20_000)), answers('quick'), answers('patient')]);
    const { model } = await routed(clock, [one], { concurrency: { limit: 1 } });
    const { signal } = new AbortController();
    const patient = model.generate(request, { key: 'k1', signal });
    const quick = model.generate(request, { key: 'k2', signal });
    expect((await quick).text).toBe('quick');
    await clock.advance(20_000);
    expect((await patient).text).toBe('patient');
  });

  it('beyond the longest line go to the fallback', async () => {
    const one = puppet('a/one', [hangs]);
    const two = puppet('b/two', [answers('good day')]);
    const { model } = await routed(virtualClock(), [one, two], { concurrency: { limit: 1, maxWaiting: 0 } });
    const controller = new AbortController();
    const first = endOf(model.generate(request, { key: 'k1', signal: controller.signal }));
    expect((await model.generate(request, { key: 'k2', signal: controller.signal })).model).toBe('b/two');
    controller.abort(reason);
    expect(await first).toBe(reason);
  });
});
