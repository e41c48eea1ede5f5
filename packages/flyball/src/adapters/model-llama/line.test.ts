import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Line } from './line.js';

function lineOf(most: number, maxWaiting = 10) {
  let made = 0;
  const line = new Line<number>({ most, maxWaiting, make: async () => (made += 1) });
  return { line, made: () => made };
}

/** A call that goes on until it is told to end. */
function call(line: Line<number>, signal = new AbortController().signal, suits: (thing: number) => number = () => 0) {
  let end: () => void = () => undefined;
  let used: number | undefined;
  const done = line.use(signal, suits, async (thing) => {
    used = thing;
    await new Promise<void>((resolve) => {
      end = resolve;
    });
    return thing;
  });
  return { done, end: () => end(), used: () => used };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a line before a bounded number of things', () => {
  it('makes no more than there may be, only when they are needed, and serves callers in their order [R13-LLAMA-POOL]', async () => {
    const { line, made } = lineOf(2);
    const calls = [1, 2, 3, 4].map(() => call(line));
    await turn();
    expect(calls.map((each) => each.used())).toEqual([1, 2, undefined, undefined]);
    calls[1]?.end();
    await turn();
    expect(calls.map((each) => each.used())).toEqual([1, 2, 2, undefined]);
    calls[0]?.end();
    await turn();
    expect(calls[3]?.used()).toBe(1);
    calls[2]?.end();
    calls[3]?.end();
    await Promise.all(calls.map(({ done }) => done));
    expect(made()).toBe(2);
  });

  it('uses one again rather than making another, and the one that suits best', async () => {
    const { line, made } = lineOf(3);
    const [a, b] = [call(line), call(line)];
    await turn();
    a.end();
    b.end();
    await Promise.all([a.done, b.done]);
    const c = call(line, undefined, (thing) => thing);
    await turn();
    expect([c.used(), made()]).toEqual([2, 2]);
    c.end();
    await c.done;
  });

  it('forgets whoever is aborted while waiting, and passes nobody over [R13-LLAMA-ABORT]', async () => {
    const { line } = lineOf(1);
    const stop = new AbortController();
    const first = call(line);
    const aborted = call(line, stop.signal);
    const last = call(line);
    await turn();
    stop.abort(new Error('enough'));
    await expect(aborted.done).rejects.toThrow('enough');
    expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
    first.end();
    await turn();
    expect(last.used()).toBe(1);
    last.end();
    await last.done;
    await expect(
      line.use(
        stop.signal,
        () => 0,
        async () => 1,
      ),
    ).rejects.toThrow('enough');
  });

  it('gives its place back when the work, or the making, fails', async () => {
    let fails = true;
    const line = new Line<number>({
      most: 1,
      maxWaiting: 1,
      make: () => (fails ? Promise.reject(new Error('no memory')) : Promise.resolve(1)),
    });
    const { signal } = new AbortController();
    await expect(
      line.use(
        signal,
        () => 0,
        async () => 1,
      ),
    ).rejects.toThrow('no memory');
    fails = false;
    await expect(
      line.use(
        signal,
        () => 0,
        () => Promise.reject(new Error('broken')),
      ),
    ).rejects.toThrow('broken');
    expect(
      await line.use(
        signal,
        () => 0,
        async (thing) => thing,
      ),
    ).toBe(1);
  });

  it('refuses one more than may wait', async () => {
    const { line } = lineOf(1, 1);
    const calls = [call(line), call(line)];
    await expect(call(line).done).rejects.toMatchObject({ code: 'MODEL_UNAVAILABLE', retryable: true });
    for (const each of calls) {
      await turn();
      each.end();
      await each.done;
    }
  });
});
