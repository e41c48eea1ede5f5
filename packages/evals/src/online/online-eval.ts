import { ConfigError } from 'flyball';
import { described, useFrom } from 'flyball/internal';
import type { CalibrationSet } from './calibration-set.js';
import { applyRule, checkRule, type DriftRule, type RuleVerdict } from './drift-rules.js';
import type { Sampler } from './sampler.js';
import type { Point, SeriesStore } from './series.js';
import type { TraceFacts } from './trace-facts.js';

/** A figure read off a trace, without a model. */
export interface TraceMetric {
  readonly name: string;
  of(trace: TraceFacts): number;
}

/** Scores a trace without a reference. Null where it could not be read: an unread verdict is no score. */
export interface TraceJudge {
  /** `provider/model`, pinned. */
  readonly model: string;
  /** Hash of its rubric. */
  readonly rubric: string;
  /** Name of the metric that its scores are kept under. */
  readonly metric: string;
  /** The calibration set that its session withholds (`set.withheldFrom(session)`): its hash. */
  readonly withholds?: string;
  score(trace: TraceFacts): Promise<number | null>;
}

/** A rule that found drift, with its owner and runbook. */
export interface Alert {
  readonly rule: string;
  readonly signal: DriftRule['signal'];
  readonly method: DriftRule['method'];
  /** `all`, or a cohort such as `segment=business`. */
  readonly group: string;
  readonly owner: string;
  readonly runbook: string;
  readonly windowFrom: number;
  readonly windowUntil: number;
  readonly value: number;
  readonly against: number;
  readonly scores: number;
}

/** What online evaluation needs. */
export interface OnlineParts {
  readonly sampler: Sampler;
  readonly judge?: TraceJudge;
  /** Models that the watched agents run on: none of them may judge itself. */
  readonly agentModels: readonly string[];
  /** What the judge is calibrated on: none of it may reach its prompts, so the judge has to withhold this set. */
  readonly calibration?: CalibrationSet;
  readonly metrics: readonly TraceMetric[];
  readonly store: SeriesStore;
  readonly rules: readonly DriftRule[];
  alert(alert: Alert): void;
  /** Judgements open at once; more wait, and of those that wait the routine ones are dropped first: 4 and 1,000. */
  readonly width?: number;
  readonly queue?: number;
}

export interface OnlineState {
  readonly seen: number;
  readonly judged: number;
  readonly unread: number;
  readonly dropped: number;
  readonly active: readonly string[];
}

/** Evaluates finished runs while the system is in use. */
export interface OnlineEval {
  /** Takes a finished run in. Returns at once: nothing waits for an evaluation. */
  observe(trace: TraceFacts): void;
  /** Judges the windows that ended by `now`, and says what each rule found. */
  close(now: number): readonly (RuleVerdict & { readonly rule: string; readonly group: string })[];
  /** Resolves when every judgement that was taken is in. */
  settled(): Promise<void>;
  state(): OnlineState;
}

/**
 * Samples live runs and reports drift. It reads; it never changes or delays what is watched.
 *
 * Model calls: one for each run that the sampler takes, where there is a judge. Not instead of a release gate: it sees a
 * fault only after users did.
 *
 * @pattern V17
 */
export function onlineEval(parts: OnlineParts): OnlineEval {
  const { judge, agentModels, rules, calibration } = parts;
  if (judge !== undefined && agentModels.includes(judge.model))
    throw new ConfigError(`${judge.model} would judge its own runs. Choose a judge of another model.`);
  if (judge !== undefined && calibration !== undefined && judge.withholds !== calibration.hash)
    throw new ConfigError(
      'The judge may read its own calibration cases. Make it of calibration.withheldFrom(session), with withholds: calibration.hash.',
    );
  rules.forEach(checkRule);
  const names = rules.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new ConfigError(
      `Two drift rules are called "${twice}", so their alerts could not be told apart. Rename one.`,
    );
  const params = { rules: names, judge: judge?.model ?? 'none' };
  const calls = { fact: 'judged', least: 0, most: Number.POSITIVE_INFINITY } as const;
  const about = {
    ...({ id: 'V17', name: 'onlineEval', params, calls } as const),
    parts: { test: parts.metrics }, // code that scores
    provides: judge === undefined ? [] : (['V15'] as const),
  };
  return described(new Watch(parts), useFrom(about));
}

class Watch implements OnlineEval {
  private readonly parts: OnlineParts;
  private readonly waiting: { readonly trace: TraceFacts; readonly routine: boolean }[] = [];
  /** Rule and group that have told, until they are well again. */
  private readonly active = new Set<string>();
  /** End of the last window that was judged, by rule. */
  private readonly judgedUntil = new Map<string, number>();
  private readonly counts = { seen: 0, judged: 0, unread: 0, dropped: 0 };
  private open = 0;
  private idle: (() => void)[] = [];

  constructor(parts: OnlineParts) {
    this.parts = parts;
  }

  observe(trace: TraceFacts): void {
    this.counts.seen++;
    for (const { name, of } of this.parts.metrics) this.add(name, of(trace), trace);
    const { take, why } = this.parts.sampler(trace);
    if (!take || this.parts.judge === undefined) return;
    this.waiting.push({ trace, routine: why === 'share' });
    this.makeRoom();
    this.work();
  }

  close(now: number): readonly (RuleVerdict & { readonly rule: string; readonly group: string })[] {
    return this.parts.rules.flatMap((rule) => {
      const until = Math.floor(now / rule.windowMs) * rule.windowMs;
      const from = this.judgedUntil.get(rule.name) ?? until - rule.windowMs;
      this.judgedUntil.set(rule.name, Math.max(from, until)); // a clock that was set back judges no window twice
      const windows = Math.max(0, Math.round((until - from) / rule.windowMs));
      return Array.from({ length: windows }, (_, index) => this.window(rule, from + index * rule.windowMs)).flat();
    });
  }

  settled(): Promise<void> {
    if (this.open === 0 && this.waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.idle.push(resolve));
  }

  state(): OnlineState {
    return { ...this.counts, active: [...this.active] };
  }

  private add(metric: string, value: number, { endedAt, cohort }: TraceFacts): void {
    if (Number.isFinite(value)) this.parts.store.add({ at: endedAt, metric, value, cohort });
  }

  private makeRoom(): void {
    while (this.waiting.length > (this.parts.queue ?? 1000)) {
      const routine = this.waiting.findIndex(({ routine: isRoutine }) => isRoutine);
      this.waiting.splice(Math.max(routine, 0), 1);
      this.counts.dropped++;
    }
  }

  private work(): void {
    while (this.open < (this.parts.width ?? 4)) {
      const next = this.waiting.shift();
      if (next === undefined) break;
      this.open++;
      void this.judge(next.trace);
    }
  }

  private async judge(trace: TraceFacts): Promise<void> {
    const score = await this.scoreOf(trace);
    if (score === null || !Number.isFinite(score)) this.counts.unread++;
    else {
      this.counts.judged++;
      this.add(this.parts.judge?.metric ?? '', score, trace);
    }
    this.open--;
    this.work();
    if (this.open === 0 && this.waiting.length === 0) for (const resolve of this.idle.splice(0)) resolve();
  }

  /** A judge that fails is one that could not be read: counted, and nobody's run is touched by it. */
  private async scoreOf(trace: TraceFacts): Promise<number | null> {
    try {
      return (await this.parts.judge?.score(trace)) ?? null;
    } catch {
      return null;
    }
  }

  private window(rule: DriftRule, from: number) {
    const until = from + rule.windowMs;
    const points = this.parts.store.between(rule.metric, from, until);
    const before =
      rule.method === 'threshold' ? [] : this.parts.store.between(rule.metric, from - rule.trailingMs, from);
    return groupsOf(rule, points).map((group) => {
      const verdict = applyRule(rule, valuesOf(points, group), valuesOf(before, group));
      this.tell(rule, group.name, verdict, { from, until });
      return { rule: rule.name, group: group.name, ...verdict };
    });
  }

  /** Once when it begins, and again only after it was well: an alarm that repeats is soon ignored. */
  private tell(rule: DriftRule, group: string, verdict: RuleVerdict, at: { from: number; until: number }): void {
    const key = `${rule.name} ${group}`;
    if (verdict.verdict === 'ok') this.active.delete(key);
    if (verdict.verdict !== 'drift' || this.active.has(key)) return;
    this.active.add(key);
    const { name, signal, method, owner, runbook } = rule;
    const { value, against, scores } = verdict;
    const window = { windowFrom: at.from, windowUntil: at.until };
    this.parts.alert({ rule: name, signal, method, group, owner, runbook, ...window, value, against, scores });
  }
}

interface Group {
  readonly name: string;
  holds(point: Point): boolean;
}

/** All traffic, and each value of the fields that the rule watches. */
function groupsOf({ by = [] }: DriftRule, points: readonly Point[]): readonly Group[] {
  const cohorts = by.flatMap((field) =>
    [...new Set(points.map(({ cohort }) => cohort[field]))].sort().map((value) => ({
      name: `${field}=${value}`,
      holds: ({ cohort }: Point) => cohort[field] === value,
    })),
  );
  return [{ name: 'all', holds: () => true }, ...cohorts];
}

function valuesOf(points: readonly Point[], { holds }: Group): readonly number[] {
  return points.filter(holds).map(({ value }) => value);
}
