import { type ByKind, byKind, nothingFor } from '../core/by-kind.js';
import { ASKS, CHILDREN, PATTERNS, TELLING, WAITS } from '../core/event-kinds.js';
import type { Entry } from '../core/events.js';
import { isBarrier } from './checkpoint.js';
import { EffectFold } from './effects.js';
import { PhaseFold } from './phases.js';
import { UsageFold } from './usage.js';

/** The name of a metric that a journal yields. */
export type MetricName =
  | 'checkpoint_written'
  | 'loop_resumed'
  | 'budget_warning'
  | 'bound_reached'
  | 'effect_in_doubt'
  | 'guard_decision'
  | 'compensation_failed'
  | 'run_ended';

/** Something to count, at the time it happened. Field names are those that dashboards read: snake case. */
export interface Metric {
  readonly name: MetricName;
  readonly at: number;
  readonly fields: Readonly<Record<string, string | number>>;
}

/** The events of a run that monitoring counts. */
export function metricsOf(runId: string, entries: readonly Entry[]): readonly Metric[] {
  const fold = new MetricFold(runId);
  return entries.flatMap((entry) => fold.apply(entry));
}

/** Counts metrics for a subscriber, entry by entry. */
export class MetricFold {
  private readonly runId: string;
  private readonly effects = new EffectFold();
  private readonly phases = new PhaseFold();
  private readonly usage = new UsageFold();
  private iteration = 0;
  private bytes = 0;
  private startedAt: number | undefined;
  private before: Entry | undefined;

  constructor(runId: string) {
    this.runId = runId;
  }

  apply(entry: Entry): readonly Metric[] {
    this.startedAt ??= entry.at;
    // before the entry takes effect: what was in flight when the run was found is the question
    const resumed = this.resumed(entry);
    this.effects.apply(entry);
    this.phases.apply(entry);
    this.usage.apply(entry);
    this.bytes += Buffer.byteLength(JSON.stringify(entry.event));
    const found = [...resumed, ...this.checkpoint(entry), ...this.told(entry)];
    this.before = entry;
    return found;
  }

  /** A checkpoint adds to the journal what was written since the one before: that is its size. */
  private checkpoint({ event, at }: Entry): readonly Metric[] {
    if (!isBarrier(event)) return [];
    this.iteration++;
    const size = this.bytes;
    this.bytes = 0;
    return [this.metric('checkpoint_written', at, { iteration: this.iteration, size_bytes: size })];
  }

  private resumed({ event, at }: Entry): readonly Metric[] {
    if (event.type !== 'attempt-start' || event.why === 'start') return [];
    const inFlight = this.effects.open().filter(({ start }) => start?.type === 'intent' || start?.type === 'ask-start');
    return [
      this.metric('loop_resumed', at, {
        why: event.why,
        attempt: event.attempt,
        resumed_from_iteration: this.iteration,
        resumed_from_generation: this.before?.generation ?? 0,
        resumed_from_seq: this.before?.seq ?? -1,
        ...(this.phases.last === undefined ? {} : { phase: this.phases.last }),
        inflight_actions_recovered: inFlight.length,
      }),
    ];
  }

  private told({ event, at }: Entry): readonly Metric[] {
    return byKind(MetricFold.TOLD, event, this, at) ?? [];
  }

  private static readonly TOLD: ByKind<[fold: MetricFold, at: number], readonly Metric[] | undefined> = {
    ...nothingFor(
      ...ASKS,
      ...CHILDREN,
      ...WAITS,
      ...PATTERNS,
      ...TELLING,
      'run-start',
      'generation-start',
      'generation-end',
      'attempt-start',
      'run-resume',
      'run-pause',
      'intent',
      'call-start',
      'complete',
      'abort',
      'cancel',
      'redirect',
      'stuck',
      'rollback-start',
      'note',
      'pin',
      'post',
    ),
    'budget-warning': ({ node, axis, spent, limit }, fold, at) => [
      fold.metric('budget_warning', at, { node: node === '' ? '/' : node, axis, spent, limit }),
    ],
    trip: ({ node, bound, spent, limit, wanted }, fold, at) => [
      fold.metric('bound_reached', at, { node: node === '' ? '/' : node, axis: bound, spent, limit, wanted }),
    ],
    doubt: ({ id, name }, fold, at) => [fold.metric('effect_in_doubt', at, { effect: id, action: name })],
    'guard-decision': ({ guard, verdict, rule }, fold, at) => [
      fold.metric('guard_decision', at, { guard, verdict, ...(rule === undefined ? {} : { rule }) }),
    ],
    'rollback-end': ({ report }, fold, at) =>
      report.entries
        .filter(({ status }) => status === 'COMPENSATION_FAILED')
        .map(({ effect, name }) => fold.metric('compensation_failed', at, { effect, action: name })),
    'run-end': ({ outcome }, fold, at) => [fold.metric('run_ended', at, { stop: outcome.stop, ...fold.totals(at) })],
  };

  private totals(at: number): Metric['fields'] {
    const { tokensIn, tokensOut, costUsd, modelCalls, toolCalls, wallMs } = this.usage.spent;
    return {
      duration_ms: at - (this.startedAt ?? at),
      active_ms: wallMs,
      model_calls: modelCalls,
      tool_calls: toolCalls,
      tokens_in: tokensIn,
      tokens_out: tokensOut,
      cost_usd: costUsd,
    };
  }

  private metric(name: MetricName, at: number, fields: Metric['fields']): Metric {
    return { name, at, fields: { loop_id: this.runId, ...fields } };
  }
}
