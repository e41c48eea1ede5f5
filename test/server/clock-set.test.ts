import { virtualClock } from 'flyball/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Working } from '../../packages/flyball/src/cli/chat/working.js';
import { Progress } from '../../packages/flyball/src/cli/progress.js';
import type { Screen } from '../../packages/flyball/src/cli/screen.js';
import { createApp } from '../../packages/server/src/app.js';
import { route } from '../../packages/server/src/contract/route.js';
import { CardDesk, type CardDeskParts } from '../../packages/server/src/feed/card-desk.js';
import { ForeignWriters } from '../../packages/server/src/feed/foreign-writers.js';
import type { WatchedRun } from '../../packages/server/src/feed/watched-run.js';
import { SILENT } from '../../packages/server/src/log.js';
import { StateGauges } from '../../packages/server/src/metrics/state-gauges.js';
import type { PipelineParts } from '../../packages/server/src/pipeline.js';
import { healthRoutes } from '../../packages/server/src/routes/health.js';
import { DEFAULT_SETTINGS } from '../../packages/server/src/settings.js';
import { openWire } from '../../packages/server/src/wire.js';

const HOUR = 3_600_000;

describe('a date that is set back by an hour in a server', () => {
  it('does not make the numbers of its metrics an hour old [R7-TIME-EDGES]', async () => {
    const clock = virtualClock();
    let looks = 0;
    const gauges = new StateGauges({
      engine: {
        count: async () => {
          looks++;
          return { byStatus: {}, asked: 0, held: 0 };
        },
        size: async () => ({ bytes: 0, logBytes: 0, freeBytes: 0 }),
        queue: async () => [],
        workers: async () => [],
        goneOwners: async () => [],
        list: async () => ({ runs: [] }),
      },
      clock,
      host: { isGone: () => false },
      triggers: () => undefined,
    });
    await gauges.look();
    clock.jump(-HOUR);
    await gauges.look(); // a moment later: not asked again
    expect(looks).toBe(1);
    await clock.advance(5_000);
    await gauges.look();
    expect(looks).toBe(2);
  });

  it('keeps nobody from what other processes write [R7-TIME-EDGES]', async () => {
    const clock = virtualClock();
    const run = { poll: { every: 0, at: 0 } } as unknown as WatchedRun;
    let looks = 0;
    const foreign = new ForeignWriters(new Map([['r', run]]), clock, async () => ++looks > 0);
    foreign.begin(run);
    clock.jump(-HOUR);
    await clock.advance(2_000);
    foreign.close();
    expect(looks).toBeGreaterThan(1);
  });

  it('keeps nobody from new runs of other processes [R7-TIME-EDGES]', async () => {
    const clock = virtualClock();
    let lists = 0;
    const desk = new CardDesk({
      ...clock,
      list: async () => {
        lists++;
        return { runs: [] };
      },
      isWatched: () => false,
      onProblem: (error) => expect.fail(String(error)),
    } satisfies Partial<CardDeskParts> as unknown as CardDeskParts);
    desk.enter('harbor');
    await clock.advance(300);
    const before = lists;
    clock.jump(-HOUR);
    await clock.advance(5_000);
    desk.close();
    expect(lists).toBeGreaterThan(before);
  });

  it('does not hold on to an answer about storage [R7-TIME-EDGES]', async () => {
    const clock = virtualClock();
    let probes = 0;
    const [, ready] = healthRoutes({
      engine: { list: async () => (++probes > 1 ? Promise.reject(new Error('gone')) : { runs: [] }) },
      store: { get: async () => undefined, propose: async () => ({ version: 1 }), drop: async () => undefined },
      clock,
      log: SILENT,
      settings: DEFAULT_SETTINGS,
      isCallable: () => true,
      phases: { leaving: new AbortController().signal },
    } as unknown as Parameters<typeof healthRoutes>[0]);
    const asked = async (): Promise<unknown> => (await ready?.handle({} as never)) as unknown;
    expect(await asked()).toMatchObject({ status: 200 });
    clock.jump(-HOUR);
    await clock.advance(1_000);
    expect(await asked()).toMatchObject({ status: 503 });
  });

  it('makes no request longer or shorter than it was [R7-TIME-EDGES]', async () => {
    const clock = virtualClock();
    const seen: number[] = [];
    const { signal } = new AbortController();
    const parts = {
      gate: { enter: () => ({ headers: {} }), noBody: () => undefined },
      settings: DEFAULT_SETTINGS,
      check: async () => undefined,
      log: SILENT,
      ...clock,
      phases: { leaving: signal, closing: signal, ending: signal },
      wire: openWire([]),
      observe: ({ ms }: { readonly ms: number }) => seen.push(ms),
    } as unknown as PipelineParts;
    const slow = route({
      id: 'slow',
      method: 'get',
      path: '/slow',
      tag: 't',
      summary: '',
      scope: undefined,
      answers: {},
      examples: [],
      handle: async () => {
        clock.jump(-HOUR);
        await clock.advance(40);
        return { status: 200, body: {} };
      },
    });
    const answer = await createApp(parts, [slow], []).request('http://127.0.0.1/slow');
    expect(await answer.text()).toBe('{}');
    expect(seen).toEqual([40]);
  });
});

describe('a date that is set back by an hour while somebody looks', () => {
  afterEach(() => void vi.useRealTimers());

  it.each([
    ['flyball chat', (screen: Screen) => new Working(screen).show('thinking')],
    ['flyball run', (screen: Screen) => new Progress(screen, 'r')],
  ])('shows no time below zero: %s [R7-TIME-EDGES]', (_, begin) => {
    vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'] });
    const shown: string[] = [];
    begin({ live: true, json: false, status: (text: string) => void shown.push(text) } as unknown as Screen);
    vi.setSystemTime(Date.now() - HOUR);
    vi.advanceTimersByTime(500);
    expect(shown.at(-1)).toMatch(/ · \d+ ms$/);
  });
});
