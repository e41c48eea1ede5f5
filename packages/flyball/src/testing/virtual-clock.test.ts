import { AsyncLocalStorage } from 'node:async_hooks';
import { expect, it } from 'vitest';
import { VIRTUAL_START, virtualClock } from './virtual-clock.js';

it('stands still until it is moved [R2-KIT-CLOCK]', () => {
  expect(virtualClock().now()).toBe(VIRTUAL_START);
  expect(virtualClock(42).now()).toBe(42);
});

it('fires due timers in order, each at its own time, equal ones as they were set [R2-KIT-CLOCK]', async () => {
  const clock = virtualClock(0);
  const fired: string[] = [];
  clock.after(20, () => fired.push(`late at ${clock.now()}`));
  clock.after(10, () => fired.push(`first at ${clock.now()}`));
  clock.after(10, () => fired.push(`second at ${clock.now()}`));
  clock.after(31, () => fired.push('too early'));
  await clock.advance(30);
  expect(fired).toEqual(['first at 10', 'second at 10', 'late at 20']);
  expect(clock.now()).toBe(30);
  expect(clock.pending()).toEqual([31]);
});

it('lets code react to a timer before the next one fires', async () => {
  const clock = virtualClock(0);
  const fired: number[] = [];
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const code = async () => {
    await sleep(10);
    await new Promise((resolve) => setImmediate(resolve)); // a journal write takes a turn
    await sleep(10);
    fired.push(clock.now());
  };
  clock.after(25, () => fired.push(clock.now()));
  const running = code();
  await clock.advance(30);
  expect(fired).toEqual([20, 25]);
  await running;
});

it('shows another date when somebody sets it, while time passes as before [F-C6]', async () => {
  const clock = virtualClock(5_000);
  const fired: number[] = [];
  clock.after(10, () => fired.push(clock.now()));
  clock.jump(-3_000);
  expect([clock.now(), clock.monotonic(), clock.pending()]).toEqual([2_000, 0, [2_010]]);
  await clock.advance(20);
  expect([clock.now(), clock.monotonic(), fired]).toEqual([2_020, 20, [2_010]]);
});

it('does not fire a timer that was cancelled', async () => {
  const clock = virtualClock(0);
  const cancel = clock.after(10, () => expect.unreachable());
  cancel();
  expect(await clock.advanceToNext()).toBe(false);
  expect(clock.now()).toBe(0);
});

it('moves to the next timer, however far away', async () => {
  const clock = virtualClock(0);
  const month = 30 * 24 * 3_600_000;
  clock.after(month, () => {});
  expect(await clock.advanceToNext()).toBe(true);
  expect(clock.now()).toBe(month);
  expect(await clock.advanceToNext()).toBe(false);
});

it('fires a timer that is already over without moving time back', async () => {
  const clock = virtualClock(100);
  let at = 0;
  clock.after(-50, () => {
    at = clock.now();
  });
  await clock.advance(0);
  expect(at).toBe(100);
});

it('calls back in the context in which the timer was set, as a real one does', async () => {
  const clock = virtualClock(0);
  const context = new AsyncLocalStorage<string>();
  let seen: string | undefined;
  context.run('setter', () =>
    clock.after(1, () => {
      seen = context.getStore();
    }),
  );
  await context.run('mover', () => clock.advance(1));
  expect(seen).toBe('setter');
});
