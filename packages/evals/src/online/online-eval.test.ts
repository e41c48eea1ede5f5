import { describe, expect, it } from 'vitest';
import { mersenneTwister } from '../metrics/mersenne-twister.js';
import { kolmogorovSmirnov, populationStability } from './distribution.js';
import { applyRule, type DriftRule } from './drift-rules.js';
import { type Alert, type OnlineParts, onlineEval, type TraceJudge } from './online-eval.js';
import { traceSampler } from './sampler.js';
import { memorySeries } from './series.js';
import type { TraceFacts } from './trace-facts.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

function trace(index: number, more: Partial<TraceFacts> = {}): TraceFacts {
  return {
    runId: `run-${index}`,
    endedAt: index * 1000,
    stop: 'done',
    cohort: { task: 'support', segment: 'private', model: 'a/one', region: 'eu' },
    failed: false,
    capped: false,
    guarded: false,
    denied: false,
    costUsd: 0.01,
    tokens: 100,
    durationMs: 10,
    iterations: 2,
    ...more,
  };
}

const QUALITY: DriftRule = {
  name: 'quality',
  signal: 'quality',
  metric: 'quality',
  method: 'sigma',
  sigmas: 2,
  minEffect: 0.15,
  windowMs: 2 * DAY,
  trailingMs: 7 * DAY,
  by: ['segment'],
  owner: 'desk-team',
  runbook: 'docs/runbooks/quality.md',
};

const judgeBy = (score: (trace: TraceFacts) => number | null): TraceJudge => ({
  model: 'b/judge',
  rubric: 'r1',
  metric: 'quality',
  score: async (one) => score(one),
});

function watch(more: Partial<OnlineParts> = {}): {
  readonly told: Alert[];
  readonly online: ReturnType<typeof onlineEval>;
} {
  const told: Alert[] = [];
  const online = onlineEval({
    sampler: traceSampler({ share: 1 }),
    agentModels: ['a/one'],
    metrics: [],
    store: memorySeries({ keepMs: 30 * DAY }),
    rules: [],
    alert: (alert) => told.push(alert),
    queue: 1_000_000,
    ...more,
  });
  return { told, online };
}

/** 20,000 requests over twenty days; one in twenty comes from a business customer. */
async function replay(
  qualityOf: (one: TraceFacts, day: number, random: () => number) => number,
): Promise<readonly Alert[]> {
  const random = mersenneTwister(11);
  const scores = new Map<string, number>();
  const judge = judgeBy((one) => scores.get(one.runId) ?? null);
  const { told, online } = watch({ rules: [QUALITY], judge });
  for (let index = 0; index < 20_000; index++) {
    const endedAt = Math.floor((index / 20_000) * 20 * DAY);
    const segment = index % 20 === 0 ? 'business' : 'private';
    const one = trace(index, { endedAt, cohort: { task: 'support', segment, model: 'a/one', region: 'eu' } });
    scores.set(one.runId, qualityOf(one, endedAt / DAY, random));
    online.observe(one);
  }
  await online.settled();
  for (let day = 2; day <= 20; day += 2) online.close(day * DAY);
  return told;
}

const usual = (random: () => number) => (random() < 0.9 ? 1 : 0);

describe('online evaluation', () => {
  it('raises an alarm for a cohort whose quality halves, within a window, and stays quiet about the rest [R5-ONLINE-DRIFT] [V17.acceptance]', async () => {
    const told = await replay((one, day, random) =>
      one.cohort.segment === 'business' && day >= 10 ? (random() < 0.45 ? 1 : 0) : usual(random),
    );
    expect(told.map(({ group }) => group)).toEqual(['segment=business']);
    expect(told[0]).toMatchObject({ rule: 'quality', owner: 'desk-team', windowFrom: 10 * DAY, windowUntil: 12 * DAY });
    expect(told[0]?.value).toBeLessThan(0.6);
  });

  it('raises nothing when nothing changed [R5-ONLINE-DRIFT] [V17.acceptance]', async () => {
    expect(await replay((_, __, random) => usual(random))).toEqual([]);
  });

  it('calls too few scores insufficient, never ok [R5-ONLINE-DRIFT] [V17.9]', async () => {
    const { online } = watch({ rules: [QUALITY], judge: judgeBy(() => 1) });
    for (let index = 0; index < 50; index++) online.observe(trace(index));
    await online.settled();
    expect(online.close(2 * DAY)).toEqual([
      { rule: 'quality', group: 'all', verdict: 'insufficient', scores: 0, needed: 100 },
      { rule: 'quality', group: 'segment=private', verdict: 'insufficient', scores: 0, needed: 100 },
    ]);
  });

  it('tells once while something is wrong, and again after it was well [R5-ONLINE-DRIFT]', async () => {
    const rule: DriftRule = { ...QUALITY, method: 'threshold', below: 0.5, windowMs: DAY, minScores: 10, by: [] };
    const { told, online } = watch({
      rules: [rule],
      metrics: [{ name: 'quality', of: (one) => (one.failed ? 0 : 1) }],
    });
    const day = (index: number, failed: boolean) => {
      for (let one = 0; one < 20; one++)
        online.observe(trace(index * 100 + one, { endedAt: index * DAY + one, failed }));
      online.close((index + 1) * DAY);
    };
    [true, true, false, true].forEach((failed, index) => {
      day(index, failed);
    });
    expect(told.map(({ windowFrom }) => windowFrom / DAY)).toEqual([0, 3]);
  });

  it('counts a judge that throws before it promises anything as unread, and goes on [R5-ONLINE-DRIFT]', async () => {
    const score = (one: TraceFacts): Promise<number | null> => {
      if (one.runId === 'run-0') throw new Error('no network');
      return Promise.resolve(1);
    };
    const { online } = watch({ judge: { ...judgeBy(() => 1), score }, width: 1 });
    for (let index = 0; index < 3; index++) online.observe(trace(index));
    await online.settled();
    expect(online.state()).toMatchObject({ seen: 3, judged: 2, unread: 1 });
  });

  it('judges no window twice when a clock is set back, and takes no two rules of one name [R5-ONLINE-DRIFT]', () => {
    const { online } = watch({ rules: [{ ...QUALITY, by: [] }] });
    const closed = [4, 2, 4, 6].map((day) => online.close(day * DAY).length);
    expect(closed).toEqual([1, 0, 0, 1]);
    expect(() => watch({ rules: [QUALITY, { ...QUALITY, metric: 'cost' }] })).toThrow(/called "quality"/);
  });

  it('judges every run that failed, was capped, guarded or refused, and a share of the others [R5-ONLINE-DRIFT] [V17.1]', () => {
    const sampler = traceSampler({ share: 0.05 });
    for (const odd of [{ failed: true }, { capped: true }, { guarded: true }, { denied: true }])
      for (let index = 0; index < 50; index++)
        expect(sampler(trace(index, odd))).toEqual({ take: true, why: 'always' });
    const taken = Array.from({ length: 4000 }, (_, index) => sampler(trace(index)).take).filter(Boolean).length;
    expect(taken / 4000).toBeGreaterThan(0.04);
    expect(taken / 4000).toBeLessThan(0.06);
    expect(sampler(trace(7))).toEqual(sampler(trace(7)));
  });

  it('never delays or changes what is watched: it returns before the judge answers, and a judge that fails is counted [R5-ONLINE-DRIFT] [V17.8]', async () => {
    let answer: (() => void) | undefined;
    const slow: TraceJudge = {
      ...judgeBy(() => 1),
      score: (one) =>
        one.runId === 'run-1'
          ? Promise.reject(new Error('down'))
          : new Promise((resolve) => (answer = () => resolve(1))),
    };
    const { online } = watch({ judge: slow });
    online.observe(trace(0));
    online.observe(trace(1));
    expect(online.state()).toMatchObject({ seen: 2, judged: 0 });
    answer?.();
    await online.settled();
    expect(online.state()).toMatchObject({ judged: 1, unread: 1 });
  });

  it('drops routine runs before others when the judge cannot keep up [R5-ONLINE-DRIFT]', async () => {
    const judged: string[] = [];
    const gates: (() => void)[] = [];
    const judge: TraceJudge = {
      ...judgeBy(() => 1),
      score: (one) =>
        new Promise((resolve) =>
          gates.push(() => {
            judged.push(one.runId);
            resolve(1);
          }),
        ),
    };
    const { online } = watch({ judge, queue: 1, width: 1 });
    online.observe(trace(0));
    online.observe(trace(1, { failed: true }));
    online.observe(trace(2));
    while (judged.length < 2) {
      gates.shift()?.();
      await Promise.resolve();
    }
    await online.settled();
    expect(judged).toEqual(['run-0', 'run-1']);
    expect(online.state().dropped).toBe(1);
  });

  it('refuses a judge of the same model and rules that nobody answers for [R5-ONLINE-DRIFT] [V17.2] [V17.6]', () => {
    const own = { ...judgeBy(() => 1), model: 'a/one' };
    expect(() => watch({ judge: own })).toThrow(/would judge its own runs/);
    expect(() => watch({ rules: [{ ...QUALITY, owner: ' ' }] })).toThrow(/names no owner/);
    expect(() => watch({ rules: [{ ...QUALITY, runbook: '' }] })).toThrow(/names no runbook/);
    expect(() => watch({ rules: [{ ...QUALITY, windowMs: 60_000 }] })).toThrow(/would flap/);
    expect(() => traceSampler({ share: 5 })).toThrow(/0 to 1/);
  });

  it('sees the shape of a distribution move where its mean does not [R5-ONLINE-DRIFT]', () => {
    const random = mersenneTwister(3);
    const flat = Array.from({ length: 500 }, () => random());
    const same = Array.from({ length: 500 }, () => random());
    const split = Array.from({ length: 500 }, (_, index) => (index % 2 === 0 ? 0.05 : 0.95));
    expect(populationStability(flat, same)).toBeLessThan(0.1);
    expect(populationStability(flat, split)).toBeGreaterThan(0.25);
    expect(kolmogorovSmirnov(flat, same)).toBeLessThan(0.1);
    expect(kolmogorovSmirnov(flat, split)).toBeGreaterThan(0.3);
    const rule: DriftRule = { ...QUALITY, method: 'psi', limit: 0.25 };
    expect(applyRule(rule, split, flat).verdict).toBe('drift');
    expect(applyRule({ ...rule, method: 'ks', limit: 0.2 }, same, flat).verdict).toBe('ok');
  });

  it('keeps late scores in their place and forgets old ones', () => {
    const series = memorySeries({ keepMs: 1000 });
    const at = (time: number) => series.add({ at: time, metric: 'm', value: time, cohort: trace(0).cohort });
    [10, 30, 20].forEach(at);
    expect(series.between('m', 0, 30).map(({ value }) => value)).toEqual([10, 20]);
    for (let time = 5000; time < 5200; time++) at(time);
    expect(series.between('m', 0, 6000).length).toBeLessThanOrEqual(203);
    for (let time = 7000; time < 7200; time++) at(time);
    expect(series.between('m', 0, 6000)).toEqual([]);
  });
});
