import { describe, expect, it } from 'vitest';
import {
  abort,
  askStart,
  attemptStart,
  gate,
  intent,
  JournalBuilder,
  purchase,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';
import { summarise } from './summary.js';

describe('run summary', () => {
  it('tells who ran what, how it ended and what it took [R2-VIEW-SUMMARY]', () => {
    const entries = purchase();
    expect(summarise(entries)).toMatchObject({
      agent: 'buyer',
      version: '3',
      tenant: 'acme',
      subject: 'ann@example.com',
      status: 'done',
      outcome: { stop: 'done', value: { receipt: 'r-1' } },
      attempts: 2,
      takeovers: 0,
      effects: { ask: 2, call: 2, step: 1, undo: 0, spawn: 1, wait: 1, sleep: 0, post: 0 },
      open: [],
      waiting: [],
      doubts: [],
      warnings: [{ axis: 'costUsd' }],
      startedAt: entries[0]?.at,
      endedAt: entries.at(-1)?.at,
      activeMs: entries.at(-1)?.activeMs,
      entries: entries.length,
    });
  });

  it('sets what was spent against the budget, axis by axis', () => {
    const { usage } = summarise(purchase());
    expect(usage.tokensIn).toEqual({ spent: 420, limit: 10_000 });
    expect(usage.toolCalls).toEqual({ spent: 2, limit: 500 });
    expect(Object.keys(usage)).toHaveLength(9);
  });

  it('counts takeovers after crashes', () => {
    expect(summarise(purchase({ crash: true }))).toMatchObject({ attempts: 4, takeovers: 2, status: 'done' });
  });

  it('is suspended while all that is open waits, and says for what [R2-VIEW-SUMMARY]', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      spawnStart('#0', 'child', '/c.0'),
      gate('/c.0#0', 'charge'),
    );
    journal.add({ type: 'sleep-start', id: '#1', fp: 'f', due: 99 });
    const summary = summarise(journal.entries);
    expect(summary.status).toBe('suspended');
    expect(summary.waiting).toMatchObject([
      {
        effect: '/c.0#0!gate',
        kind: 'approval',
        name: 'approve:/c.0#0',
        token: 'secret-token',
        request: { action: 'charge' },
      },
      { effect: '#1', kind: 'sleep', until: 99 },
    ]);
    expect(summarise(journal.add(askStart('#2')).entries).status).toBe('running');
  });

  it('is pending before the first attempt, paused after a pause, running once resumed', () => {
    const journal = new JournalBuilder().add(runStart());
    expect(summarise(journal.entries).status).toBe('pending');
    expect(summarise(journal.add(attemptStart(1), { type: 'run-pause', by: 'ann' }).entries).status).toBe('paused');
    const resumed = summarise(journal.add({ type: 'run-resume', by: 'ann' }, attemptStart(2, 'resume')).entries);
    expect(resumed).toMatchObject({ status: 'running', resumes: 1, attempts: 2 });
  });

  it('has not ended when a bounded run was let go on', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }),
    );
    expect(summarise(journal.entries)).toMatchObject({ status: 'bounded', endedAt: journal.entries.at(-1)?.at });
    const resumed = summarise(journal.add({ type: 'run-resume', by: 'ann' }, attemptStart(2, 'resume')).entries);
    expect(resumed.status).toBe('running');
    expect(resumed).not.toHaveProperty('outcome');
    expect(resumed).not.toHaveProperty('endedAt');
  });

  it('lists doubts, and whether they were settled', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      attemptStart(1),
      intent('#0', 'charge'),
      attemptStart(2, 'takeover'),
    );
    journal.add({ type: 'doubt', id: '#0', attempt: 1, name: 'charge', why: 'nothing can tell' });
    expect(summarise(journal.entries).doubts).toEqual([
      { id: '#0', name: 'charge', why: 'nothing can tell', resolved: false },
    ]);
    expect(summarise(journal.entries).open).toMatchObject([{ id: '#0', verb: 'call', name: 'charge' }]);
    journal.add(abort('#0', 'EFFECT_FAILED'));
    expect(summarise(journal.entries).doubts[0]?.resolved).toBe(true);
  });

  it('joins the reports of all rollbacks and keeps the alerts [R2-VIEW-SUMMARY]', () => {
    const journal = new JournalBuilder().add(runStart(), attemptStart(1));
    journal.add({
      type: 'rollback-end',
      scope: '/a',
      report: { success: true, entries: [{ effect: '/a#0', generation: 0, name: 'book', status: 'COMPENSATED' }] },
    });
    journal.add({ type: 'operator-alert', alert: 'COMPENSATION_FAILED', effect: '#0', why: 'shop is closed' });
    const failed = { effect: '#0', generation: 0, name: 'pay', status: 'COMPENSATION_FAILED' } as const;
    journal.add({
      type: 'rollback-end',
      scope: '',
      report: { success: false, entries: [failed], attention: 'requires manual intervention' },
    });
    const summary = summarise(journal.entries);
    expect(summary.rollback).toMatchObject({
      success: false,
      entries: [{ name: 'book' }, { name: 'pay' }],
      attention: 'requires manual intervention',
    });
    expect(summary.alerts).toMatchObject([{ alert: 'COMPENSATION_FAILED' }]);
  });

  it('says little about an empty journal, and does not fail', () => {
    expect(summarise([])).toMatchObject({ status: 'pending', entries: 0, attempts: 0 });
  });
});
