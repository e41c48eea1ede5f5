import { budget, FlyballError } from 'flyball';
import { turns } from 'flyball/testing';
import { describe, expect, it } from 'vitest';
import { Problem } from '../../packages/server/src/problem.js';
import { MOST_COUNTED, openSchedule } from '../../packages/server/src/triggers/schedule.js';
import { cronTrigger } from '../../packages/server/src/triggers/trigger.js';
import { runsOf, TriggerStage } from './triggers-stage.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const START = Date.UTC(2026, 0, 1);

const hourly = (more: Partial<Parameters<typeof cronTrigger>[0]> = {}) =>
  cronTrigger({ name: 'report', agent: 'echo', schedule: '0 * * * *', input: { kind: 'hourly' }, ...more });

const at = (times: readonly { readonly createdAt: number }[]) => times.map(({ createdAt }) => createdAt - START);

describe('a cron trigger', () => {
  it('starts its agent with its input, bounds and tenant at every due time, without drift [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START + 7_123);
    const host = await stage.open([hourly({ tenant: 'acme', budget: { modelCalls: 3 } })]);
    await stage.pass(3 * HOUR);
    const runs = await runsOf(host);
    expect(at(runs)).toEqual([HOUR, 2 * HOUR, 3 * HOUR]);
    expect(runs[0]).toMatchObject({ agent: 'echo', tenant: 'acme', subject: 'trigger:report' });
    const [first] = await host.runtime.entries(runs[0]?.id ?? '');
    expect(first?.event).toMatchObject({ input: { kind: 'hourly' }, budget: { modelCalls: 3 } });
    expect(await host.triggers.list()).toEqual([
      {
        name: 'report',
        kind: 'cron',
        agent: 'echo',
        tenant: 'acme',
        schedule: '0 * * * *',
        timezone: 'UTC',
        next: START + 4 * HOUR,
        last: START + 3 * HOUR,
        lastRun: runs[2]?.id,
        missed: 0,
      },
    ]);
    expect(await host.triggers.list('other')).toEqual([]);
    expect(await host.triggers.list('acme')).toHaveLength(1);
  });

  it('starts one run a due time over three servers on one database, whichever of them is quicker [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    const hosts = await Promise.all([1, 2, 3].map(() => stage.open([hourly({ schedule: '*/10 * * * *' })])));
    await stage.pass(HOUR);
    for (const host of hosts) {
      expect(at(await runsOf(host))).toEqual([1, 2, 3, 4, 5, 6].map((n) => n * 10 * MINUTE));
      expect((await host.triggers.list())[0]).toMatchObject({ missed: 0, last: START + HOUR });
    }
    const started = hosts.flatMap(({ lines }) => lines).filter(({ what }) => what === 'a trigger started a run');
    expect(started).toHaveLength(6);
  });

  it('goes on in another server when one is killed, and after a restart, without a second run [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    const first = await stage.open([hourly()]);
    const second = await stage.open([hourly()]);
    await stage.pass(HOUR);
    first.die();
    await stage.pass(HOUR);
    await second.close();
    const third = await stage.open([hourly()]);
    await stage.pass(HOUR);
    expect(at(await runsOf(third))).toEqual([HOUR, 2 * HOUR, 3 * HOUR]);
    expect((await third.triggers.list())[0]).toMatchObject({ missed: 0 });
  });

  it('takes up a time that a server had claimed when it was killed, however long ago, and starts it once [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    const never = new Promise<never>(() => undefined);
    const killed = await stage.open([hourly()], { start: () => never });
    await stage.pass(HOUR);
    expect(await runsOf(killed)).toEqual([]);
    killed.die();
    await stage.pass(20 * MINUTE);
    const host = await stage.open([hourly()]);
    expect(await runsOf(host)).toHaveLength(1);
    expect((await host.triggers.list())[0]).toMatchObject({ last: START + HOUR, missed: 0 });
  });

  it('does not start a run again that was started just before its server was killed [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    const host = await stage.open([hourly()]);
    const slow = await stage.open([hourly()], {
      start: async (agent, input, { budget: _budget, ...rest }) => {
        await host.runtime.start(agent, input, { ...rest, budget: budget() });
        return new Promise<never>(() => undefined); // started, and killed before it could write that down
      },
    });
    await host.triggers.close();
    await stage.pass(HOUR);
    slow.die();
    const next = await stage.open([hourly()]);
    await stage.pass(5 * MINUTE);
    expect(await runsOf(next)).toHaveLength(1);
    expect((await next.triggers.list())[0]).toMatchObject({ last: START + HOUR, missed: 0 });
  });

  it('tells of times at which no server was up, and leaves them out [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    await (await stage.open([hourly()])).close();
    await stage.clock.advance(5 * HOUR + 30 * MINUTE);
    const host = await stage.open([hourly()]);
    expect(await runsOf(host)).toEqual([]);
    const [state] = await host.triggers.list();
    expect(state).toMatchObject({ missed: 5, lastMissed: START + 5 * HOUR, next: START + 6 * HOUR });
    expect(state).not.toHaveProperty('last');
    expect(host.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        what: 'a trigger missed times',
        trigger: 'report',
        count: 5,
        policy: 'skip',
      }),
    );
    await stage.pass(30 * MINUTE);
    expect(at(await runsOf(host))).toEqual([6 * HOUR]);
    expect((await host.triggers.list())[0]).toMatchObject({ missed: 5 });
  });

  it('makes up for missed times by one run where it is told to, on one of two servers [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    await (await stage.open([hourly({ missed: 'once' })])).close();
    await stage.clock.advance(5 * HOUR + 30 * MINUTE);
    const hosts = await Promise.all([1, 2].map(() => stage.open([hourly({ missed: 'once' })])));
    await turns(50);
    const [host] = hosts;
    if (host === undefined) throw new Error('no host');
    expect(await runsOf(host)).toHaveLength(1);
    expect((await host.triggers.list())[0]).toMatchObject({ missed: 5, last: START + 5 * HOUR });
  });

  it('starts a run that is only late, as when a server restarts over a due time [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    await (await stage.open([hourly()])).close();
    await stage.clock.advance(HOUR + 20_000);
    const host = await stage.open([hourly()]);
    expect(await runsOf(host)).toHaveLength(1);
    expect((await host.triggers.list())[0]).toMatchObject({ missed: 0, last: START + HOUR });
  });

  it('tries again while a start fails for a passing reason, and gives up on the others at once [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START + HOUR - 5_000);
    let busy = 3;
    const real = await stage.open([]);
    const host = await stage.open([hourly()], {
      start: async (agent, input, { budget: _budget, ...rest }) => {
        if (busy-- > 0) throw new FlyballError('STORAGE_BUSY', 'busy', { retryable: true });
        return real.runtime.start(agent, input, { ...rest, budget: budget() });
      },
    });
    await stage.pass(25_000, 1_000);
    expect(await runsOf(real)).toHaveLength(1);
    expect((await host.triggers.list())[0]).toMatchObject({ last: START + HOUR });

    const refused = await stage.open([hourly({ name: 'refused' })], {
      start: () => Promise.reject(new Problem(403, 'DENIED', 'the guard refuses this input')),
    });
    await stage.pass(HOUR);
    expect((await refused.triggers.list())[0]).toMatchObject({ failure: 'the guard refuses this input', missed: 0 });
    expect((await refused.triggers.list())[0]).not.toHaveProperty('last');
  });

  it('names its runs as nobody can know beforehand, so that no id is taken before it is due [R6-WORKFLOW-CRON]', async () => {
    const named = await Promise.all(
      [1, 2].map(async () => {
        const stage = new TriggerStage(START + HOUR - 1_000);
        const host = await stage.open([hourly()]);
        await stage.pass(1_000);
        return (await host.triggers.list())[0]?.lastRun;
      }),
    );
    expect(named[0]).toMatch(/^run_[0-9a-f]{20}$/);
    expect(named[0]).not.toBe(named[1]);
  });

  it('stops when it is closed [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    const host = await stage.open([hourly()]);
    await stage.pass(HOUR - 10_000);
    await host.triggers.close();
    expect(stage.clock.pending()).toEqual([]);
    await stage.pass(HOUR);
    expect(await runsOf(host)).toEqual([]);
  });

  it.each<[string, Partial<Parameters<typeof cronTrigger>[0]>, RegExp]>([
    ['a word', { schedule: 'hourly' }, /Trigger "report": the schedule "hourly" cannot be used: it needs five fields/],
    ['a minute too many', { schedule: '61 * * * *' }, /the schedule "61 \* \* \* \*" cannot be used: .*61/],
    ['a day that never comes', { schedule: '0 0 30 2 *' }, /it never matches a date/],
    ['a date', { schedule: '2026-01-01T00:00:00' }, /cannot be used/],
    ['a place that is not on earth', { timezone: 'Mars/Olympus' }, /Mars\/Olympus/],
  ])('with %s is refused before anything starts [R6-WORKFLOW-CRON]', async (_, more, sentence) => {
    const stage = new TriggerStage(START);
    const opened = stage.open([hourly(more)]);
    await expect(opened).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opened).rejects.toThrow(sentence);
  });

  it('has a name of its own and settings that make sense [R6-WORKFLOW-CRON]', async () => {
    const stage = new TriggerStage(START);
    await expect(stage.open([hourly(), hourly()])).rejects.toThrow(/Two triggers have the name "report"/);
    expect(() => hourly({ name: 'a/b' })).toThrow(/"a\/b"/);
    expect(() => hourly({ budget: { modelCalls: -1 } })).toThrow(/modelCalls/);
    expect(() => hourly({ missed: 'all' as never })).toThrow(/"skip" or "once"/);
  });
});

describe('a schedule', () => {
  const times = async (timezone: string, from: string) => {
    const schedule = await openSchedule(hourly({ schedule: '30 2 * * *', timezone }));
    const found: string[] = [];
    for (let time: number | undefined = Date.parse(from); found.length < 3; ) {
      time = schedule.next(time ?? 0);
      found.push(new Date(time ?? 0).toISOString().slice(0, 16));
    }
    return found;
  };

  it('comes once on the days on which clocks are changed [R6-WORKFLOW-CRON]', async () => {
    expect(await times('Europe/Berlin', '2026-03-28T00:00:00Z')).toEqual([
      '2026-03-28T01:30',
      '2026-03-29T01:00',
      '2026-03-30T00:30',
    ]);
    expect(await times('Europe/Berlin', '2026-10-24T00:00:00Z')).toEqual([
      '2026-10-24T00:30',
      '2026-10-25T00:30',
      '2026-10-26T01:30',
    ]);
  });

  it('counts what lies between two times, and says no more than "many" of very many [R6-WORKFLOW-CRON]', async () => {
    const schedule = await openSchedule(hourly({ schedule: '*/10 * * * * *' }));
    expect(schedule.between(START, START + 9_999)).toBeUndefined();
    expect(schedule.between(START, START + 10_000)).toEqual({ last: START + 10_000, count: 1 });
    expect(schedule.between(START, START + 35_000)).toEqual({ last: START + 30_000, before: START + 20_000, count: 3 });
    const year = START + 365 * 24 * HOUR + 5_500;
    expect(schedule.between(START, year)).toEqual({ last: year - 5_500, before: year - 15_500, count: MOST_COUNTED });
  });
});
