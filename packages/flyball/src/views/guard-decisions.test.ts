import { describe, expect, it } from 'vitest';
import type { GuardDecision, RunEvent } from '../core/events.js';
import { isBarrier } from './checkpoint.js';
import {
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  pure,
  runEnd,
  runStart,
} from './fixtures.test-data.js';
import { guardDecisionsOf } from './guard-decisions.js';
import { metricsOf } from './metrics.js';
import { provenanceOf, verifyProvenance } from './provenance.js';
import { timelineOf } from './timeline.js';

function decided(id: string, over: Partial<GuardDecision> = {}): RunEvent {
  return { type: 'guard-decision', id, guard: 'policy', verdict: 'allowed', why: 'rule says so', ...over };
}

const journal = (...events: readonly RunEvent[]) =>
  new JournalBuilder().add(runStart(), attemptStart(1), ...events).entries;

describe('guard decisions', () => {
  it('are told with effect, guard, verdict, rule and policy', () => {
    const told = guardDecisionsOf(
      journal(decided('#0', { rule: 'mail', policy: 'v3:9f' }), intent('#0', 'mail'), complete('#0', 1)),
    );
    expect(told).toEqual([
      {
        effect: '#0',
        generation: 0,
        guard: 'policy',
        verdict: 'allowed',
        why: 'rule says so',
        rule: 'mail',
        policy: 'v3:9f',
      },
    ]);
  });

  it('count once when a crash makes a guard decide again', () => {
    const straight = journal(
      decided('#0'),
      intent('#0', 'mail'),
      decided('#0', { guard: 'shield' }),
      complete('#0', 1),
    );
    const crash = attemptStart(2, 'takeover');
    const beforeIntent = journal(
      decided('#0'),
      crash,
      decided('#0'),
      intent('#0', 'mail'),
      decided('#0', { guard: 'shield' }),
      complete('#0', 1),
    );
    const afterIntent = journal(
      decided('#0'),
      intent('#0', 'mail'),
      decided('#0', { guard: 'shield' }),
      crash,
      intent('#0', 'mail', { attempt: 2 }),
      decided('#0', { guard: 'shield' }),
      complete('#0', 1),
    );
    const inModelCall = journal(askStart('#0'), decided('#0'), crash, askStart('#0'), decided('#0'), askEnd('#0'));
    expect(guardDecisionsOf(straight).map(({ guard }) => guard)).toEqual(['policy', 'shield']);
    expect(guardDecisionsOf(beforeIntent)).toEqual(guardDecisionsOf(straight));
    expect(guardDecisionsOf(afterIntent)).toEqual(guardDecisionsOf(straight));
    expect(guardDecisionsOf(inModelCall)).toHaveLength(1);
  });

  it('that asked a person stay over the wait, because guards are not asked again after it', () => {
    const gate = {
      type: 'wait-start',
      id: '#0!gate',
      fp: 'f',
      kind: 'approval',
      name: 'approve:#0',
      token: 't',
      admitted: { args: 1, approval: 'policy' },
    } as const;
    const entries = journal(decided('#0', { verdict: 'asked' }), gate, attemptStart(2, 'wake'));
    expect(guardDecisionsOf(entries).map(({ verdict }) => verdict)).toEqual(['asked']);
  });

  it('are part of the provenance, which a crash does not change', () => {
    const end = runEnd({ stop: 'done', value: 1 });
    const straight = journal(decided('#0', { why: 'at 10:00' }), pure('#0', 'look', 1, 'call'), decided(''), end);
    const crashed = journal(
      decided('#0', { why: 'at 10:00' }),
      attemptStart(2, 'takeover'),
      decided('#0', { why: 'at 10:05' }),
      pure('#0', 'look', 1, 'call'),
      decided(''),
      end,
    );
    const record = provenanceOf('r1', straight);
    expect(record.guards).toEqual([
      { effect: '', generation: 0, guard: 'policy', verdict: 'allowed' },
      { effect: '#0', generation: 0, guard: 'policy', verdict: 'allowed' },
    ]);
    expect(provenanceOf('r1', crashed)).toEqual(record);
    expect(verifyProvenance(record)).toBe(true);
    expect(provenanceOf('r1', journal(pure('#0', 'look', 1, 'call'), end))).not.toHaveProperty('guards');
  });

  it('are told in the timeline, each verdict in its own words', () => {
    const verdicts = ['allowed', 'obliged', 'asked', 'warned', 'escalated', 'denied', 'blocked'] as const;
    const lines = timelineOf(journal(...verdicts.map((verdict) => decided('/a#0', { verdict })))).slice(1);
    expect(lines.map(({ symbol, text }) => `${symbol} ${text}`)).toEqual([
      '✓ policy allows it: rule says so',
      '! policy allows it on conditions: rule says so',
      '… policy asks for approval: rule says so',
      '! policy warns: rule says so',
      '! policy escalates: rule says so',
      '✗ policy denies it: rule says so',
      '✗ policy blocks it: rule says so',
    ]);
    expect(lines[0]).toMatchObject({ depth: 1, detail: '/a#0' });
    const [named] = timelineOf(journal(decided('#0', { rule: 'r7', policy: 'v3:9f' }))).slice(1);
    expect(named?.text).toBe('policy allows it: rule says so (rule r7 of policy v3:9f)');
  });

  it('are counted, and are no checkpoints', () => {
    const entries = journal(decided('#0', { verdict: 'denied', rule: 'r7' }));
    const metrics = metricsOf('r1', entries).filter(({ name }) => name === 'guard_decision');
    expect(metrics.map(({ fields }) => fields)).toEqual([
      { loop_id: 'r1', guard: 'policy', verdict: 'denied', rule: 'r7' },
    ]);
    expect(isBarrier(decided('#0'))).toBe(false);
  });
});

describe('other things told beside effects', () => {
  it('are told in the timeline: retries, iterations, the end of a loop, and that something private was noted', () => {
    const failure = { code: 'EFFECT_TIMEOUT', message: 'no end within 5 ms', retryable: true } as const;
    const note = (event: { readonly kind: string; readonly [key: string]: unknown }) =>
      ({ type: 'note', path: '', event }) as const;
    const lines = timelineOf(
      journal(
        note({ kind: 'iteration', n: 3 }),
        { type: 'retry', id: '#0', name: 'fetch', retry: 1, delayMs: 40, failure },
        note({ kind: 'observation', content: 'hunter2', tags: ['private'] }),
        note({ kind: 'loop-end', reason: 'completed' }),
      ),
    ).slice(1);
    expect(lines.map(({ text }) => text)).toEqual([
      'iteration 3',
      'fetch failed: no end within 5 ms; retry 1 after 40 ms',
      'noted a private observation',
      'loop ended: completed',
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});
