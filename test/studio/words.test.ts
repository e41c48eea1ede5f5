import { describe, expect, it } from 'vitest';
import type { RunCard } from '../../packages/studio/src/api/types.js';
import { asSentences } from '../../packages/studio/src/inbox/verdict-words.js';
import { awaited, nowOf } from '../../packages/studio/src/runs/run-words.js';
import { duration } from '../../packages/studio/src/ui/amounts.js';
import { visible } from '../../packages/studio/src/ui/visible.js';

const card = (of: Partial<RunCard>): RunCard =>
  ({ status: 'running', waiting: [], mode: 'iterative', ...of }) as RunCard;

describe('the words of the studio', () => {
  it('say in one line how a run stands, and never by the inner name of a wait [R6-STUDIO-RUNS]', () => {
    expect(nowOf(card({ status: 'suspended', waiting: ['review:/notice-writer.1/repair-18'] }))).toBe(
      'Waiting for approval of its work',
    );
    expect(nowOf(card({ status: 'suspended', waiting: ['approve:#5', 'approve:/a#7.2', 'harvest'] }))).toBe(
      'Waiting for approval, harvest',
    );
    expect(nowOf(card({ phase: 'REPAIR' }))).toBe('Phase: REPAIR');
    expect(nowOf(card({}))).toBe('Working');
    expect(nowOf(card({ status: 'suspended' }))).toBe('Waiting for time to pass');
    expect(nowOf(card({ status: 'pending' }))).toBe('Not started yet');
    expect(nowOf(card({ status: 'done', outcome: { stop: 'done', answer: 'At 04:15.' } }))).toBe('At 04:15.');
    expect(nowOf(card({ status: 'done', outcome: { stop: 'done' } }))).toBe('Done');
    expect(nowOf(card({ status: 'failed', outcome: { stop: 'failed', because: 'no tide' } }))).toBe('no tide');
  });

  it('name what is waited for', () => {
    expect(['approve:live-fork', 'approve-step:/plan', 'doubt:#3', 'choose_one#4', 'harvest'].map(awaited)).toEqual([
      'approval of a side effect',
      'approval of a step',
      'confirmation whether an action happened',
      'an answer',
      'harvest',
    ]);
  });

  it('read joined reasons as sentences', () => {
    expect(asSentences('Cancelled in time.; money leaves the account')).toBe(
      'Cancelled in time. Money leaves the account',
    );
    expect(asSentences('gates failed; low confidence')).toBe('gates failed; low confidence');
    expect(asSentences(undefined)).toBeUndefined();
  });

  it('leave out what is nothing of a time', () => {
    expect([600_000, 605_000, 3_600_000, 86_400_000].map(duration)).toEqual(['10 min', '10 min 5 s', '1 h', '1 d']);
  });

  it('show what would turn the direction of a text', () => {
    expect(visible('pay \u202e021\u202c EUR, \u2066x\u2069')).toBe('pay [U+202E]021[U+202C] EUR, [U+2066]x[U+2069]');
    expect(visible('שלום, 120 EUR')).toBe('שלום, 120 EUR');
  });
});
