import { describe, expect, it } from 'vitest';
import type { Entry } from '../core/events.js';
import { checkpointOf } from './checkpoint.js';
import {
  askStart,
  attemptStart,
  intent,
  JournalBuilder,
  phase,
  purchase,
  pure,
  runEnd,
  runStart,
} from './fixtures.test-data.js';
import { type MetricName, metricsOf } from './metrics.js';

function fieldsOf(name: MetricName, entries: readonly Entry[]) {
  return metricsOf('r1', entries).flatMap((metric) => (metric.name === name ? [metric.fields] : []));
}

describe('metrics', () => {
  it('counts a checkpoint for every durable write, with the bytes it added [R2-VIEW-METRICS]', () => {
    const entries = purchase();
    const written = fieldsOf('checkpoint_written', entries);
    expect(written.map(({ iteration }) => iteration)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(written.every(({ loop_id: loop }) => loop === 'r1')).toBe(true);
    expect(written.at(-1)?.['iteration']).toBe(checkpointOf('r1', entries).iteration);
    const bytes = entries.reduce((sum, { event }) => sum + Buffer.byteLength(JSON.stringify(event)), 0);
    expect(written.reduce((sum, { size_bytes: size }) => sum + Number(size), 0)).toBe(bytes); // the end is a checkpoint itself
  });

  it('tells from where a run was resumed and what was in flight [R2-VIEW-METRICS]', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      phase('ACT'),
      askStart('/a#0'),
      intent('/b#0', 'pay'),
      pure('#0', 'x', 1),
    );
    journal.add({ type: 'sleep-start', id: '#1', fp: 'f', due: 5 }, attemptStart(2, 'takeover'));
    expect(fieldsOf('loop_resumed', journal.entries)).toEqual([
      {
        loop_id: 'r1',
        why: 'takeover',
        attempt: 2,
        resumed_from_iteration: 4,
        resumed_from_generation: 0,
        resumed_from_seq: 6,
        phase: 'ACT',
        inflight_actions_recovered: 2,
      },
    ]);
  });

  it('does not call the first attempt a resumption', () => {
    expect(fieldsOf('loop_resumed', new JournalBuilder().add(runStart(), attemptStart(1)).entries)).toEqual([]);
    expect(fieldsOf('loop_resumed', purchase({ crash: true }))).toMatchObject([
      { why: 'takeover', inflight_actions_recovered: 1, phase: 'PLAN' },
      { why: 'wake', inflight_actions_recovered: 0, phase: 'ACT' },
      { why: 'takeover', inflight_actions_recovered: 1 },
    ]);
  });

  it('tells warnings, bounds, doubts and failed compensations', () => {
    const journal = new JournalBuilder().add(runStart(), intent('#0', 'pay'));
    journal.add({ type: 'budget-warning', node: '', axis: 'costUsd', spent: 4, limit: 5 });
    journal.add({ type: 'trip', node: '/c.0', bound: 'tokensIn', limit: 10, spent: 9, wanted: 5, left: 0 });
    journal.add({ type: 'doubt', id: '#0', attempt: 1, name: 'pay', why: 'no proof' });
    const entries = [
      { effect: '#0', generation: 0, name: 'pay', status: 'COMPENSATION_FAILED' },
      { effect: '#1', generation: 0, name: 'book', status: 'COMPENSATED' },
    ] as const;
    journal.add({ type: 'rollback-end', scope: '', report: { success: false, entries } });
    expect(fieldsOf('budget_warning', journal.entries)).toEqual([
      { loop_id: 'r1', node: '/', axis: 'costUsd', spent: 4, limit: 5 },
    ]);
    expect(fieldsOf('bound_reached', journal.entries)).toEqual([
      { loop_id: 'r1', node: '/c.0', axis: 'tokensIn', spent: 9, limit: 10, wanted: 5 },
    ]);
    expect(fieldsOf('effect_in_doubt', journal.entries)).toEqual([{ loop_id: 'r1', effect: '#0', action: 'pay' }]);
    expect(fieldsOf('compensation_failed', journal.entries)).toEqual([{ loop_id: 'r1', effect: '#0', action: 'pay' }]);
  });

  it('tells how a run ended and what it took', () => {
    const entries = purchase();
    const [first, last] = [entries[0], entries.at(-1)];
    expect(fieldsOf('run_ended', entries)).toMatchObject([
      {
        stop: 'done',
        model_calls: 3,
        tool_calls: 2,
        tokens_in: 420,
        tokens_out: 100,
        active_ms: last?.activeMs,
        duration_ms: (last?.at ?? 0) - (first?.at ?? 0),
      },
    ]);
    expect(metricsOf('r1', entries).at(-1)).toMatchObject({ name: 'run_ended', at: last?.at });
    expect(
      fieldsOf('run_ended', new JournalBuilder().add(runStart(), runEnd({ stop: 'blocked', because: 'x' })).entries),
    ).toMatchObject([{ stop: 'blocked' }]);
  });
});
