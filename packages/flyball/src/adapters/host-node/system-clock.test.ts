import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { systemClock } from './system-clock.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

it('calls back once when the time has passed', () => {
  const called = vi.fn();
  systemClock().after(100, called);
  vi.advanceTimersByTime(99);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(called).toHaveBeenCalledTimes(1);
});

it('waits for months, which one timer of Node cannot', () => {
  const called = vi.fn();
  const months = 90 * 24 * 3600 * 1000;
  systemClock().after(months, called);
  vi.advanceTimersByTime(months - 1);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledTimes(1);
});

it.each([
  ['forward', 3_600_000],
  ['back', -3_600_000],
])('waits as long when the date is set %s meanwhile [F-C6]', (_, ms) => {
  const called = vi.fn();
  const clock = systemClock();
  const began = clock.monotonic();
  const months = 90 * 24 * 3600 * 1000;
  clock.after(months, called);
  vi.setSystemTime(Date.now() + ms);
  vi.advanceTimersByTime(months - 1);
  expect(called).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(called).toHaveBeenCalledTimes(1);
  expect(clock.monotonic() - began).toBe(months);
});

it('can be cancelled in a later stage too', () => {
  const called = vi.fn();
  const cancel = systemClock().after(90 * 24 * 3600 * 1000, called);
  vi.advanceTimersByTime(60 * 24 * 3600 * 1000);
  cancel();
  vi.advanceTimersByTime(60 * 24 * 3600 * 1000);
  expect(called).not.toHaveBeenCalled();
});

it('holds the process open only when asked to', () => {
  vi.useRealTimers(); // a spy on the pretended ones would bring them back when it is taken away
  const timers: NodeJS.Timeout[] = [];
  const original = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((callback: () => void, ms: number) => {
    const timer = original(callback, ms);
    timers.push(timer);
    return timer;
  }) as typeof setTimeout);
  systemClock().after(10, () => undefined, { keepAlive: false });
  systemClock().after(10, () => undefined);
  spy.mockRestore();
  expect(timers.map((timer) => timer.hasRef())).toEqual([false, true]);
});
