import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../core/errors.js';
import type { RunEvent } from '../core/events.js';
import { failuresOf, kindOfFailure } from './failures.js';
import { abort, askStart, intent, JournalBuilder, purchase, pure, runEnd, runStart } from './fixtures.test-data.js';

function recorded(...events: readonly RunEvent[]) {
  return failuresOf(new JournalBuilder().add(runStart(), ...events).entries).map(
    ({ effect, code, category, severity }) => `${effect || '/'} ${code} ${category} ${severity}`,
  );
}

const failure = (code: ErrorCode) => ({ code, message: `it went wrong: ${code}`, retryable: true });

describe('failure records', () => {
  it('carry category, severity, message and whether to try again [R3-OBS-FAILURES]', () => {
    const { entries } = new JournalBuilder()
      .add(runStart(), askStart('#0'))
      .after(40)
      .add({ type: 'ask-end', id: '#0', failure: failure('MODEL_UNAVAILABLE'), spent: {} });
    expect(failuresOf(entries)).toEqual([
      {
        at: entries.at(-1)?.at,
        generation: 0,
        effect: '#0',
        code: 'MODEL_UNAVAILABLE',
        category: 'model',
        severity: 'medium',
        message: 'it went wrong: MODEL_UNAVAILABLE',
        retryable: true,
      },
    ]);
  });

  it('tell the same failure apart by the effect it came from [R3-OBS-FAILURES]', () => {
    expect(
      recorded(
        askStart('#0'),
        { type: 'ask-end', id: '#0', failure: failure('EFFECT_FAILED'), spent: {} },
        intent('#1', 'pay'),
        abort('#1', 'EFFECT_FAILED'),
        abort('#2', 'EFFECT_FAILED', { of: 'step', name: 'compute' }),
        abort('#3', 'STORAGE_FULL', { of: 'step', name: 'memory.remember' }),
        abort('#4', 'STORAGE_FULL', { of: 'step', name: 'save' }),
        abort('#5', 'SANDBOX_LIMIT', { of: 'call', name: 'shell' }),
        abort('#6', 'DENIED', { of: 'call', name: 'shell' }),
        abort('#7', 'EFFECT_TIMEOUT', { of: 'call', name: 'shell' }),
        abort('#8', 'INPUT_INVALID', { of: 'call', name: 'shell' }),
      ),
    ).toEqual([
      '#0 EFFECT_FAILED model medium',
      '#1 EFFECT_FAILED tool medium',
      '#2 EFFECT_FAILED runtime medium',
      '#3 STORAGE_FULL memory critical',
      '#4 STORAGE_FULL runtime critical',
      '#5 SANDBOX_LIMIT sandbox medium',
      '#6 DENIED policy medium',
      '#7 EFFECT_TIMEOUT timeout medium',
      '#8 INPUT_INVALID validation low',
    ]);
  });

  it('tell of bounds, doubts, retries, repeated questions, alerts and failed runs [R3-OBS-FAILURES]', () => {
    const alert = {
      type: 'operator-alert',
      alert: 'compensation_failed',
      effect: '#1',
      why: 'shop is closed',
    } as const;
    expect(
      recorded(
        { type: 'trip', node: '/c.0', bound: 'costUsd', limit: 1, spent: 1, wanted: 1, left: 0 },
        intent('#1', 'pay'),
        { type: 'doubt', id: '#1', attempt: 1, name: 'pay', why: 'no proof' },
        { type: 'retry', id: '#2', name: 'fetch', retry: 1, delayMs: 5, failure: failure('EFFECT_TIMEOUT') },
        {
          type: 'note',
          path: '/c.0',
          event: { kind: 'reply-refused', session: 's', code: 'REPLY_INVALID', problem: 'not JSON', tries: 1 },
        },
        { type: 'guard-refused', id: '#4', seam: 'tool.pre', why: 'no' }, // its own end follows
        { type: 'signal-refused', signal: 's', name: 'go', token: 'r:0:#0', why: 'wrong shape' },
        { type: 'stuck' },
        alert,
        { type: 'spawn-end', id: '#5', outcome: { stop: 'failed', because: '', failure: failure('REPLY_INVALID') } },
        runEnd({ stop: 'failed', because: '', failure: failure('EFFECT_FAILED') }),
      ),
    ).toEqual([
      '/c.0 BOUND_REACHED budget medium',
      '#1 EFFECT_IN_DOUBT tool critical',
      '#2 EFFECT_TIMEOUT timeout low',
      '/c.0 REPLY_INVALID validation low',
      '/ SIGNAL_INVALID validation low',
      '/ FOREIGN_AWAIT runtime high',
      '#1 EFFECT_FAILED runtime critical',
      '#5 REPLY_INVALID validation medium',
      '/ EFFECT_FAILED runtime high', // a run that failed is never less than high
    ]);
  });

  it('are none for a run in which nothing went wrong', () => {
    expect(failuresOf(purchase())).toEqual([]);
    expect(recorded(pure('#0', 'look', 1), runEnd({ stop: 'cancelled', because: 'enough' }))).toEqual([]);
  });

  it('have a kind for every error code there is', () => {
    const source = readFileSync(new URL('../core/errors.ts', import.meta.url), 'utf8');
    const codes = [...(source.match(/export type ErrorCode =[^;]*/)?.[0] ?? '').matchAll(/'([A-Z_]+)'/g)].map(
      (match) => match[1] as ErrorCode,
    );
    expect(codes.length).toBeGreaterThan(40);
    for (const code of codes) {
      const kind = kindOfFailure(code);
      expect(`${code} ${kind.category} ${kind.severity}`).toMatch(/^[A-Z_]+ [a-z]+ (low|medium|high|critical)$/);
    }
  });
});
