import { AXES, type CountedAxis } from '../core/budget.js';
import { type ByKind, byKind, nothingFor } from '../core/by-kind.js';
import { ACTS, ASKS, CHILDREN, CONTROLS, PATTERNS, TELLING, WAITS } from '../core/event-kinds.js';
import type { EffectId, Entry, EventOf, ForkPoint } from '../core/events.js';
import { isTerminal, type Outcome, type RollbackReport, type Stop, type Waiting } from '../core/outcome.js';
import { type Effect, EffectFold, VERBS, type Verb } from './effects.js';
import { UsageFold } from './usage.js';

/** As the journal shows it: only an engine's record knows whether somebody holds the run at this moment. */
export type SummaryStatus = 'pending' | 'running' | 'paused' | Stop;

/** An effect that has not ended. */
export interface OpenEffect {
  readonly id: EffectId;
  readonly verb: Verb;
  readonly name: string;
  readonly since: number;
}

/** What was spent of one axis, and its limit. */
export interface AxisUse {
  readonly spent: number;
  readonly limit?: number;
  /** What calls that were cut off may have cost beside; absent where there are none. */
  readonly possibly?: number;
}

/** A summary of a run. */
export interface RunSummary {
  readonly agent?: string;
  readonly version?: string;
  readonly tenant?: string;
  readonly subject?: string;
  readonly fork?: ForkPoint & { readonly live: boolean };
  readonly status: SummaryStatus;
  readonly outcome?: Outcome<unknown>;
  readonly generation: number;
  readonly attempts: number;
  /** Attempts that took the run over from an owner that was lost. */
  readonly takeovers: number;
  /** How often somebody let it go on after a pause or a bound. */
  readonly resumes: number;
  readonly effects: Readonly<Record<Verb, number>>;
  readonly usage: Readonly<Record<CountedAxis, AxisUse>>;
  readonly open: readonly OpenEffect[];
  readonly waiting: readonly Waiting[];
  readonly doubts: readonly {
    readonly id: EffectId;
    readonly name: string;
    readonly why: string;
    readonly resolved: boolean;
  }[];
  readonly warnings: readonly EventOf<'budget-warning'>[];
  readonly alerts: readonly EventOf<'operator-alert'>[];
  readonly rollback?: RollbackReport;
  readonly startedAt?: number;
  readonly endedAt?: number;
  readonly activeMs: number;
  readonly entries: number;
}

/** A summary of a run: its status, costs and outcome. */
export function summarise(entries: readonly Entry[]): RunSummary {
  const fold = new SummaryFold();
  for (const entry of entries) fold.apply(entry);
  return fold.summary();
}

/** Takes entries one by one, for those who watch a run while it goes on: nothing is read twice. */
export class SummaryFold {
  private readonly effects = new EffectFold();
  private readonly usage = new UsageFold();
  private readonly life = new LifeFold();
  private startedAt: number | undefined;
  private last: Entry | undefined;
  private entries = 0;

  apply(entry: Entry): void {
    this.effects.apply(entry);
    this.usage.apply(entry);
    this.life.apply(entry);
    this.startedAt ??= entry.at;
    this.last = entry;
    this.entries++;
  }

  /** How it stands after the last entry. */
  summary(): RunSummary {
    const { life, startedAt, last } = this;
    const { identity, outcome, endedAt, rollback } = life;
    const all = this.effects.all();
    const open = this.effects.open();
    return {
      ...identity,
      status: statusOf(life, open),
      ...(outcome === undefined ? {} : { outcome }),
      generation: last?.generation ?? 0,
      attempts: life.attempts,
      takeovers: life.takeovers,
      resumes: life.resumes,
      effects: countByVerb(all),
      usage: useOf(this.usage),
      open: open.map(({ id, verb, name, startedAt: since }) => ({ id, verb, name, since })),
      waiting: open.flatMap((effect) => waitingFor(effect) ?? []),
      doubts: all.flatMap(({ doubt, status }) =>
        doubt === undefined ? [] : [{ id: doubt.id, name: doubt.name, why: doubt.why, resolved: status !== 'open' }],
      ),
      warnings: [...life.warnings],
      alerts: [...life.alerts],
      ...(rollback === undefined ? {} : { rollback }),
      ...(startedAt === undefined ? {} : { startedAt }),
      ...(endedAt === undefined ? {} : { endedAt }),
      activeMs: last?.activeMs ?? 0,
      entries: this.entries,
    };
  }
}

/** What an open wait or sleep waits for; undefined for any other effect. */
export function waitingFor({ id, start }: Effect): Waiting | undefined {
  switch (start?.type) {
    case 'wait-start':
      return {
        effect: id,
        kind: start.kind,
        name: start.name,
        token: start.token,
        ...(start.due === undefined ? {} : { until: start.due }),
        ...(start.request === undefined ? {} : { request: start.request }),
      };
    case 'sleep-start':
      return { effect: id, kind: 'sleep', name: 'sleep', until: start.due };
    case 'ask-start':
    case 'intent':
    case 'spawn-start':
    case undefined:
      return undefined;
  }
}

class LifeFold {
  identity: Pick<RunSummary, 'agent' | 'version' | 'tenant' | 'subject' | 'fork'> = {};
  outcome: Outcome<unknown> | undefined;
  endedAt: number | undefined;
  paused = false;
  attempts = 0;
  takeovers = 0;
  resumes = 0;
  rollback: RollbackReport | undefined;
  readonly warnings: EventOf<'budget-warning'>[] = [];
  readonly alerts: EventOf<'operator-alert'>[] = [];

  apply({ event, at }: Entry): void {
    byKind(LifeFold.ROWS, event, this, at);
  }

  private static readonly ROWS: ByKind<[fold: LifeFold, at: number], void> = {
    ...nothingFor(
      ...ASKS,
      ...ACTS,
      ...CHILDREN,
      ...WAITS,
      ...CONTROLS,
      ...PATTERNS,
      ...TELLING,
      'generation-start',
      'generation-end',
      'rollback-start',
      'note',
      'pin',
      'post',
    ),
    'run-start': ({ agent, version, tenant, subject, fork }, fold) => {
      fold.identity = { agent, version, tenant, subject, ...(fork === undefined ? {} : { fork }) };
    },
    'attempt-start': ({ why }, fold) => {
      fold.attempts++;
      if (why === 'takeover') fold.takeovers++;
      fold.reopen();
    },
    'run-resume': (_event, fold) => {
      fold.resumes++;
      fold.reopen();
    },
    'run-pause': (_event, fold) => {
      fold.paused = true;
    },
    'run-end': ({ outcome }, fold, at) => {
      fold.outcome = outcome;
      fold.endedAt = at;
    },
    'budget-warning': (event, fold) => void fold.warnings.push(event),
    'operator-alert': (event, fold) => void fold.alerts.push(event),
    'rollback-end': ({ report }, fold) => {
      fold.rollback = merged(fold.rollback, report);
    },
    // effects, notes and marks say nothing about the life of the run
  };

  /** A bounded run goes on under a larger budget: its first end was not the last word. */
  private reopen(): void {
    this.paused = false;
    if (this.outcome !== undefined && isTerminal(this.outcome.stop)) return;
    this.outcome = undefined;
    this.endedAt = undefined;
  }
}

/** A run can roll back more than one scope; the summary tells of all of them. */
function merged(before: RollbackReport | undefined, report: RollbackReport): RollbackReport {
  if (before === undefined) return report;
  const attention = [before.attention, report.attention].filter((text) => text !== undefined);
  return {
    success: before.success && report.success,
    entries: [...before.entries, ...report.entries],
    ...(attention.length > 0 ? { attention: attention.join('; ') } : {}),
  };
}

function statusOf(life: LifeFold, open: readonly Effect[]): SummaryStatus {
  if (life.outcome !== undefined) return life.outcome.stop;
  if (life.paused) return 'paused';
  const working = open.filter((effect) => effect.verb !== 'spawn'); // a child is as busy as its own effects
  if (working.length > 0 && working.every((effect) => waitingFor(effect) !== undefined)) return 'suspended';
  return life.attempts === 0 ? 'pending' : 'running';
}

function countByVerb(effects: readonly Effect[]): Record<Verb, number> {
  const counts = Object.fromEntries(VERBS.map((verb) => [verb, 0])) as Record<Verb, number>;
  for (const { verb } of effects) counts[verb]++;
  return counts;
}

export function useOf(usage: UsageFold): Record<CountedAxis, AxisUse> {
  const { spent, limits, possibly } = usage;
  const use = AXES.map((axis) => [
    axis,
    {
      spent: spent[axis],
      ...(limits === undefined ? {} : { limit: limits[axis] }),
      ...(possibly[axis] > 0 ? { possibly: possibly[axis] } : {}),
    },
  ]);
  return Object.fromEntries(use) as Record<CountedAxis, AxisUse>;
}
