import { expect, it } from 'vitest';
import { virtualClock } from '../../../flyball/src/testing/virtual-clock.js';
import { ForeignWriters } from './foreign-writers.js';
import { StreamSlots } from './stream-slots.js';
import type { WatchedRun } from './watched-run.js';

const watched = (runId: string, tenant: string) =>
  ({ runId, card: { tenant }, poll: { every: 0, at: 0 } }) as unknown as WatchedRun;

it('a tenant with thousands of watched runs does not delay the runs of another [R10-WORK-WATCHED-TURNS]', async () => {
  const clock = virtualClock();
  const runs = new Map(Array.from({ length: 3_000 }, (_, n) => [`acme-${n}`, watched(`acme-${n}`, 'acme')]));
  const looked: string[] = [];
  const foreign = new ForeignWriters(runs, clock, async ({ runId }) => {
    looked.push(runId);
    return false;
  });
  for (const run of runs.values()) foreign.begin(run);
  await clock.advance(2_000); // hundreds of them have waited longer than any other will
  const beta = watched('beta-0', 'beta');
  runs.set('beta-0', beta);
  foreign.begin(beta);
  looked.length = 0;
  await clock.advance(10_000);
  foreign.close();
  const first = looked.indexOf('beta-0');
  expect(first).toBeGreaterThan(-1);
  // it is due after 500 ms: the goes until then are all of acme's, and in the next one it is second at the latest
  expect(first).toBeLessThanOrEqual(2 * 64 + 1);
  expect(looked.filter((runId) => runId === 'beta-0').length).toBeGreaterThanOrEqual(4);
});

it('more tenants than looks in one go all get their turn [R10-WORK-WATCHED-TURNS]', async () => {
  const clock = virtualClock();
  const runs = new Map<string, WatchedRun>();
  for (let tenant = 0; tenant < 100; tenant++)
    for (let n = 0; n < 30; n++) runs.set(`t${tenant}-${n}`, watched(`t${tenant}-${n}`, `t${tenant}`));
  const looked = new Set<string>();
  let looks = 0;
  const foreign = new ForeignWriters(runs, clock, async ({ card }) => {
    if (looks++ < 128) looked.add(card?.tenant ?? '');
    return true;
  });
  for (const run of runs.values()) foreign.begin(run);
  await clock.advance(2_000);
  foreign.close();
  expect(looked.size).toBe(100);
});

const credential = (id: string) => ({ id, tenant: 't' });

it('one credential follows a bounded number of runs [R10-WORK-WATCHED-TURNS]', () => {
  const slots = new StreamSlots({ each: 100 });
  const leave = Array.from({ length: 15 }, () => slots.take(credential('a'), 64));
  expect(() => slots.take(credential('a'), 64)).toThrow(
    expect.objectContaining({
      status: 429,
      message: 'This credential follows 960 runs in its open streams. The maximum is 1000.',
    }),
  );
  slots.take(credential('a'), 40);
  slots.take(credential('b'), 64);
  leave[0]?.();
  leave[0]?.();
  slots.take(credential('a'), 64);
  expect(() => slots.take(credential('a'), 1)).toThrow('follows 1000 runs');
});
