import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { autoClock } from './auto-clock.js';
import { turns } from './turns.js';

const sleepOn = (clock: ReturnType<typeof autoClock>, ms: number) =>
  new Promise<void>((resolve) => clock.after(ms, resolve));

it('jumps over the time that everybody sleeps [R2-KIT-CLOCK]', async () => {
  const clock = autoClock({ start: 0 });
  const order: string[] = [];
  const sleeper = async (name: string, ms: number) => {
    for (let nap = 1; nap <= 3; nap++) {
      await sleepOn(clock, ms);
      order.push(`${name} ${clock.now()}`);
    }
  };
  await Promise.all([sleeper('day', 86_400_000), sleeper('hour', 3_600_000)]);
  expect(order).toEqual([
    'hour 3600000',
    'hour 7200000',
    'hour 10800000',
    'day 86400000',
    'day 172800000',
    'day 259200000',
  ]);
});

it('does not jump while code works in turns and reads the clock', async () => {
  const clock = autoClock({ start: 0 });
  let timedOut = false;
  const cancel = clock.after(1000, () => {
    timedOut = true;
  });
  for (let step = 0; step < 50; step++) {
    clock.now();
    await new Promise((resolve) => setImmediate(resolve));
  }
  cancel();
  expect(timedOut).toBe(false);
  expect(clock.now()).toBe(0);
});

it('does not jump while a file is being read', async () => {
  const clock = autoClock({ start: 0 });
  const cancel = clock.after(1000, () => {});
  for (let file = 0; file < 20; file++) await readFile(fileURLToPath(import.meta.url));
  expect(clock.now()).toBe(0);
  cancel();
});

it('lets timers that do not keep the process alive fire on the way, but not jump by themselves', async () => {
  const clock = autoClock({ start: 0 });
  let beats = 0;
  const beat = () => {
    beats++;
    clock.after(10, beat, { keepAlive: false });
  };
  clock.after(10, beat, { keepAlive: false });
  await turns(50);
  expect(beats).toBe(0);
  await sleepOn(clock, 35);
  await turns(50);
  expect(beats).toBe(3);
});

it('jumps to any timer where that is asked for, until it is stopped', async () => {
  const clock = autoClock({ start: 0, jumpTo: 'any' });
  let beats = 0;
  const beat = () => {
    if (++beats === 5) clock.stop();
    clock.after(10, beat, { keepAlive: false });
  };
  clock.after(10, beat, { keepAlive: false });
  await turns(100);
  expect(beats).toBe(5);
});
