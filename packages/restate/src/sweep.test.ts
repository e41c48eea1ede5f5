import type { Driver, RunRecord } from 'flyball';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Deliveries } from './deliveries.js';
import { Drivers } from './drivers.js';
import { type Settings, settle } from './options.js';
import { overdueHandedTo, sweep } from './sweep.js';

const SWEEP_MS = 15_000;

beforeEach(() => void vi.useFakeTimers({ now: 0 }));
afterEach(() => void vi.useRealTimers());

it('hands over each run that is due within sweepMs, whenever it became due [R19-RESTATE-SWEEP]', async () => {
  const settings = settle({ url: 'restate://host:8080', sweepMs: 1_000 });
  const due = new Map(Array.from({ length: 100 }, (_, n) => [`run-${n}`, 2_000 + n * 10]));
  const handed = new Map<string, number>();
  const drivers = new Drivers();
  const overdue: Driver['overdue'] = async ({ forMs }) => ({
    runs: [...due].flatMap(([id, at]) =>
      !handed.has(id) && at <= Date.now() - forMs ? [{ id, updatedAt: at } as never] : [],
    ),
  });
  drivers.add({ agents: [], overdue } as unknown as Driver);
  const send = async (runId: string) => void handed.set(runId, Date.now());
  const sweeping = sweep(settings, overdueHandedTo({ send } as unknown as Deliveries, settings, drivers));
  await vi.advanceTimersByTimeAsync(5_000);
  await sweeping.close();
  const lateness = [...due].map(([id, at]) => (handed.get(id) ?? Number.POSITIVE_INFINITY) - at);
  expect(Math.max(...lateness)).toBeLessThanOrEqual(1_000);
  expect(Math.min(...lateness)).toBeGreaterThanOrEqual(500); // whoever was told first has time to take it
});

/** Runs that are due and that nobody claims, in order; a cursor is the number of those in front of it. */
function stage(due: string[]) {
  const sent: string[] = [];
  const drivers = new Drivers();
  const overdue: Driver['overdue'] = async ({ limit, cursor = '0' }) => {
    const ids = due.slice(Number(cursor), Number(cursor) + limit);
    const runs = ids.map((id) => ({ id, updatedAt: 1 }) as RunRecord);
    return ids.length === 0 ? { runs } : { runs, cursor: String(Number(cursor) + ids.length) };
  };
  drivers.add({ agents: ['desk'], overdue } as unknown as Driver);
  const deliveries = { send: async (id: string) => void sent.push(id) } as unknown as Deliveries;
  const settings = {
    sweepMs: SWEEP_MS,
    onProblem: (error: unknown) => sent.push(String(error)),
  } as unknown as Settings;
  return { sent, stop: sweep(settings, overdueHandedTo(deliveries, settings, drivers)).close };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `run-${n}`);

it('each look gets to what became due since the last one, however many runs wait in Restate [R19-RESTATE-OVERDUE]', async () => {
  const due = names(450);
  const { sent, stop } = stage(due);
  await vi.advanceTimersByTimeAsync(SWEEP_MS);
  expect(new Set(sent)).toEqual(new Set(due));
  sent.length = 0;
  due.push('late');
  await vi.advanceTimersByTimeAsync(SWEEP_MS);
  expect(sent).toContain('late');
  await stop();
});

it('all that is due is offered again, a page with each look: Restate may have lost it [R19-RESTATE-OVERDUE]', async () => {
  const due = names(250);
  const { sent, stop } = stage(due);
  await vi.advanceTimersByTimeAsync(SWEEP_MS);
  sent.length = 0;
  await vi.advanceTimersByTimeAsync(SWEEP_MS / 2);
  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThanOrEqual(100);
  await vi.advanceTimersByTimeAsync(4 * SWEEP_MS);
  expect(new Set(sent)).toEqual(new Set(due));
  await stop();
});
