import { type Engine, memoryEngine } from 'flyball';
import { testHost, turns, type VirtualClock, virtualClock } from 'flyball/testing';
import { expect, it } from 'vitest';
import { rateLimiter } from '../../packages/server/src/access/rate-limiter.js';
import { shareRates } from '../../packages/server/src/access/shared-rates.js';
import { SILENT } from '../../packages/server/src/log.js';

const principal = (tenant: string) => ({ id: 'key:a', tenant, limits: {}, scopes: [] });

function server(name: string, engine: Engine, clock: VirtualClock) {
  const limits = rateLimiter({ tenantLimits: { requestsPerMinute: 60 }, tenants: {} }, clock);
  const rates = shareRates(limits, { engine, clock, host: testHost(name), log: SILENT });
  /** How many of these requests pass. */
  const passed = (count: number, tenant = 'acme'): number => {
    let n = 0;
    for (let asked = 0; asked < count; asked++) {
      try {
        rates.take(principal(tenant));
        n += 1;
      } catch {
        // refused
      }
    }
    return n;
  };
  return { rates, passed };
}

async function pass(clock: VirtualClock, seconds: number): Promise<void> {
  for (let n = 0; n < seconds * 4; n++) {
    await clock.advance(250);
    await turns(10);
  }
}

it('what one server lets through counts on the other within a second [R10-WORK-RATES]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const [one, two] = [server('one', engine, clock), server('two', engine, clock)];
  expect(one.passed(40)).toBe(40);
  await pass(clock, 1.5);
  expect(two.passed(1)).toBe(1); // it hears of the others now
  await pass(clock, 1.5);
  expect(two.passed(100)).toBeLessThan(25);
  expect(two.passed(5, 'other')).toBe(5);
});

it('servers that are at work go on telling each other every second [R10-WORK-RATES]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const [one, two] = [server('one', engine, clock), server('two', engine, clock)];
  const left = (): number => Number(two.rates.take(principal('acme'))['ratelimit-remaining']);
  left(); // the first exchange is at once, and says nothing of how soon the next one is
  for (let round = 0; round < 4; round++) {
    const before = left();
    expect(one.passed(10)).toBe(10);
    await pass(clock, 2.25); // one says so within a second, and the other looks within another
    expect(before - left()).toBeGreaterThan(5); // 10 and one of its own, but for what has come back since
  }
});

it('servers that are asked in turn let the limit through together, minute after minute [R10-WORK-RATES]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const servers = ['one', 'two', 'three'].map((name) => server(name, engine, clock));
  let all = 0;
  for (let second = 0; second < 180; second++) {
    for (const each of servers) all += each.passed(5);
    await pass(clock, 1);
  }
  // three minutes of 60, one that was saved up on each, and what passes in a second before the others know
  expect(all).toBeGreaterThan(180);
  expect(all).toBeLessThanOrEqual(3 * 60 + 60 + 60);
});

it('a server that is new does not count what others let through long ago, and one that leaves says so [R10-WORK-RATES]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const old = server('old', engine, clock);
  for (let minute = 0; minute < 5; minute++) {
    old.passed(50);
    await pass(clock, 60);
  }
  old.passed(1);
  await pass(clock, 1.5);
  const fresh = server('fresh', engine, clock);
  fresh.passed(1);
  await pass(clock, 1.5);
  expect(fresh.passed(100)).toBeGreaterThan(55);
  await old.rates.close();
  await fresh.rates.close();
  expect(await engine.workers(clock.now())).toEqual([]);
});

it('whatever an announcement says, it takes ten minutes of requests at most [R19-FORGED-COUNTS]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const [known, unknown] = [server('one', engine, clock), server('two', engine, clock)];
  expect(known.passed(30)).toBe(30);
  unknown.passed(30, 'other');
  const forged = { id: 'forged', owner: testHost('three').owner(), agents: {}, requests: { acme: 1e15 } };
  await engine.announce({ ...forged, since: clock.now() }, { now: clock.now(), forMs: 60_000 });
  await pass(clock, 3);
  for (const each of [known, unknown]) expect(each.passed(1)).toBe(0);
  await pass(clock, 600);
  for (const each of [known, unknown]) expect(each.passed(2)).toBeGreaterThan(0);
});

it('is told of every tenant, whatever its name [R10-WORK-RATES]', async () => {
  const [engine, clock] = [memoryEngine(), virtualClock()];
  const [one, two] = [server('one', engine, clock), server('two', engine, clock)];
  expect(one.passed(60, 'constructor')).toBe(60);
  await pass(clock, 1.5);
  two.passed(1, 'constructor');
  await pass(clock, 1.5);
  expect(two.passed(60, 'constructor')).toBeLessThan(10);
});
