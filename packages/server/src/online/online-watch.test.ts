import { memorySeries, type OnlineParts, onlineEval, traceSampler } from '@flyball/evals';
import { budget, createRuntime, done, memoryEngine, type Run, type Runtime } from 'flyball';
import { scriptedModel, turns, virtualClock } from 'flyball/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { gate } from '../../../../test/runtime/stage.js';
import { jsonLog } from '../log.js';
import { type OnlineWatchParts, watchRuns } from './online-watch.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

/** A runtime that answers, and an evaluation beside it. */
function house(online: Partial<OnlineParts> = {}, watch: Partial<OnlineWatchParts> = {}) {
  const clock = virtualClock(START);
  const model = scriptedModel({ desk: Array.from({ length: 100 }, () => 'tea') });
  const agents = {
    desk: async (run: Run) => done((await run.ask({ name: 'desk', model, setup: '' }, 'tea?')).text),
    broken: async (): Promise<never> => {
      throw new Error('it broke');
    },
  };
  const runtime = createRuntime({ engine: memoryEngine(), clock, agents, options: { worker: false } });
  const alerts: unknown[] = [];
  const series = memorySeries({ keepMs: 30 * 24 * HOUR });
  const lines: string[] = [];
  const watched = watchRuns({
    runs: runtime,
    clock,
    log: jsonLog(
      (line) => lines.push(line),
      () => clock.now(),
    ),
    region: 'north',
    online: onlineEval({
      sampler: traceSampler({ share: 1 }),
      agentModels: ['scripted/model'],
      metrics: [{ name: 'failed', of: (trace) => (trace.failed ? 1 : 0) }],
      store: series,
      rules: [],
      alert: (alert) => alerts.push(alert),
      ...online,
    }),
    ...watch,
  });
  onTestFinished(async () => {
    await watched.close();
    runtime.abandon();
  });
  const start = async (agent: 'desk' | 'broken', tenant = 'acme') =>
    (await runtime.start(agent, null, { budget: budget(), tenant })).outcome();
  return { clock, runtime, watched, start, series, alerts, lines };
}

const judge = (score: () => Promise<number | null>) => ({
  model: 'other/judge',
  rubric: 'r',
  metric: 'quality',
  score,
});

describe('online evaluation beside a server', () => {
  it('reads every run that ends, with its agent, tenant and model, and judges it [R6-ONLINE-EVAL] [V17.4]', async () => {
    const { start, watched, series, runtime } = house({ judge: judge(async () => 0.75) });
    await start('desk');
    await start('broken', 'other');
    await watched.settled();
    const cohort = { region: 'north', segment: 'acme', task: 'desk', model: 'scripted/model' };
    expect(series.between('quality', 0, START + HOUR).map(({ value, cohort: of }) => [value, of])).toEqual([
      [0.75, cohort],
      [0.75, { ...cohort, task: 'broken', segment: 'other', model: 'none' }],
    ]);
    expect(series.between('failed', 0, START + HOUR).map(({ value }) => value)).toEqual([0, 1]);
    expect(watched.state()).toMatchObject({ seen: 2, judged: 2, waiting: 0, overrun: 0, unreadable: 0 });
    expect((await runtime.list({})).runs).toHaveLength(2); // it started none of its own
  });

  it('delays no run, though its judge never answers and journals are slow to read [R6-ONLINE-EVAL]', async () => {
    const stuck = house({ judge: judge(() => new Promise(() => undefined)) });
    for (let n = 0; n < 5; n++) expect(await stuck.start('desk')).toMatchObject({ stop: 'done', value: 'tea' });
    const held = gate();
    const { start, watched, runtime } = house({}, {});
    await watched.close();
    const slow = watchRuns({
      runs: { subscribe: runtime.subscribe, entries: () => held.opened.then(() => []) },
      clock: virtualClock(),
      log: jsonLog(
        () => undefined,
        () => 0,
      ),
      online: onlineEval({
        sampler: traceSampler({ share: 1 }),
        agentModels: [],
        metrics: [],
        store: memorySeries({ keepMs: HOUR }),
        rules: [],
        alert: () => undefined,
      }),
    });
    for (let n = 0; n < 5; n++) expect(await start('desk')).toMatchObject({ stop: 'done' });
    await turns();
    expect(slow.state()).toMatchObject({ seen: 0, waiting: 4 });
    held.open();
    await slow.settled();
    expect(slow.state()).toMatchObject({ seen: 5, waiting: 0 });
    await slow.close();
  });

  it('drops and counts runs when it cannot keep up, those that ended well first [R6-ONLINE-EVAL]', async () => {
    const held = gate();
    const read: string[] = [];
    let entries: Runtime['entries'] = async () => [];
    const slow = async (runId: string) => {
      await held.opened;
      read.push(runId);
      return entries(runId);
    };
    const made = house();
    await made.watched.close();
    entries = made.runtime.entries;
    const watched = watchRuns({
      runs: { subscribe: made.runtime.subscribe, entries: slow },
      clock: made.clock,
      log: jsonLog(
        () => undefined,
        () => 0,
      ),
      queue: 2,
      online: onlineEval({
        sampler: traceSampler({ share: 1 }),
        agentModels: [],
        metrics: [],
        store: made.series,
        rules: [],
        alert: () => undefined,
      }),
    });
    const ids: string[] = [];
    for (const agent of ['desk', 'broken', 'desk', 'desk', 'broken'] as const) {
      const handle = await made.runtime.start(agent, null, { budget: budget() });
      await handle.outcome();
      await turns();
      ids.push(handle.id);
    }
    expect(watched.state()).toMatchObject({ waiting: 2, overrun: 2 });
    held.open();
    await watched.settled();
    expect(read).toEqual([ids[0], ids[1], ids[4]]); // the first was being read already
    await watched.close();
  });

  it('judges windows as they end, and alerts their owner [R6-ONLINE-EVAL]', async () => {
    const rule = {
      name: 'failures',
      signal: 'quality',
      metric: 'failed',
      method: 'threshold',
      above: 0.5,
      windowMs: HOUR,
      minScores: 3,
      owner: 'desk-team',
      runbook: 'runbook.md',
    } as const;
    const { start, watched, alerts, clock } = house({ rules: [rule] });
    for (let n = 0; n < 4; n++) await start('broken');
    await watched.settled();
    await clock.advance(59 * 60_000);
    expect(alerts).toEqual([]);
    await clock.advance(2 * 60_000);
    expect(alerts).toEqual([expect.objectContaining({ rule: 'failures', owner: 'desk-team', value: 1, scores: 4 })]);
    await watched.close();
    expect(clock.pending()).toEqual([]);
  });

  it('goes on after a journal that cannot be read and an alert that fails, and tells of both [R6-ONLINE-EVAL]', async () => {
    const rule = {
      name: 'failures',
      signal: 'quality',
      metric: 'failed',
      method: 'threshold',
      above: 0.5,
      windowMs: HOUR,
      minScores: 1,
      owner: 'desk-team',
      runbook: 'runbook.md',
    } as const;
    const { start, watched, clock, lines } = house(
      {
        rules: [rule],
        alert: () => {
          throw new Error('the pager is down');
        },
      },
      {
        cohortOf: (entries) => {
          if (entries.some(({ event }) => event.type === 'ask-start')) throw new Error('no cohort');
          return { task: 'a', segment: 'b', model: 'c', region: 'd' };
        },
      },
    );
    await start('desk');
    await start('broken');
    await watched.settled();
    expect(watched.state()).toMatchObject({ seen: 1, unreadable: 1 });
    await clock.advance(HOUR + 60_000);
    expect(lines.join('')).toMatch(/no cohort.*the pager is down/s);
    await start('broken');
    await watched.settled();
    expect(watched.state()).toMatchObject({ seen: 2 });
  });
});
