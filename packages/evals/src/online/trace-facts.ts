import type { Entry } from 'flyball';
import { guardDecisionsOf, summarise } from 'flyball/views';

/** Which part of the traffic a run belongs to: drift in one part hides in the mean of all. */
export interface Cohort {
  readonly task: string;
  readonly segment: string;
  readonly model: string;
  readonly region: string;
}

export type CohortField = keyof Cohort;
export const COHORT_FIELDS: readonly CohortField[] = ['task', 'segment', 'model', 'region'];

/** What a finished run's journal says about it. Metrics read this and nothing else. */
export interface TraceFacts {
  readonly runId: string;
  readonly endedAt: number;
  readonly stop: string;
  readonly cohort: Cohort;
  readonly failed: boolean;
  /** A bound ended it. */
  readonly capped: boolean;
  /** A guard changed or refused something. */
  readonly guarded: boolean;
  /** A guard refused a call. */
  readonly denied: boolean;
  readonly costUsd: number;
  readonly tokens: number;
  readonly durationMs: number;
  readonly iterations: number;
}

/** What online evaluation knows about a run, from its journal. */
export function traceFactsOf(runId: string, entries: readonly Entry[], cohort: Cohort): TraceFacts {
  const summary = summarise(entries);
  const decisions = guardDecisionsOf(entries);
  const { stop = 'suspended' } = summary.outcome ?? {};
  const endedAt = summary.endedAt ?? entries.at(-1)?.at ?? 0;
  return {
    runId,
    endedAt,
    stop,
    cohort,
    failed: stop === 'failed',
    capped: stop === 'bounded',
    guarded: decisions.some(({ verdict }) => verdict !== 'allowed'),
    denied: decisions.some(({ verdict }) => verdict === 'denied' || verdict === 'blocked'),
    costUsd: summary.usage.costUsd.spent,
    tokens: summary.usage.tokensIn.spent + summary.usage.tokensOut.spent,
    durationMs: endedAt - (summary.startedAt ?? endedAt),
    iterations: summary.usage.iterations.spent,
  };
}
