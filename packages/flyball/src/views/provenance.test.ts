import { describe, expect, it } from 'vitest';
import type { Entry } from '../core/events.js';
import { newRunState } from '../core/run-state.js';
import {
  abort,
  complete,
  gate,
  intent,
  JournalBuilder,
  purchase,
  pure,
  runEnd,
  runStart,
  verdict,
} from './fixtures.test-data.js';
import { contentHash, provenanceOf, verifyProvenance } from './provenance.js';

const changed = (
  entries: readonly Entry[],
  at: (entry: Entry) => boolean,
  to: (entry: Entry) => Entry,
): readonly Entry[] => entries.map((entry) => (at(entry) ? to(entry) : entry));

describe('provenance', () => {
  it('links the output to every effect it came from [R2-VIEW-PROVENANCE]', () => {
    const record = provenanceOf('r1', purchase());
    expect(record).toMatchObject({
      run: 'r1',
      agent: 'buyer',
      code: '3',
      input: contentHash({ item: 'tea' }),
      output: { stop: 'done' },
    });
    const byId = new Map(record.effects.map((effect) => [effect.id, effect]));
    expect([...byId.keys()].sort()).toEqual(['#0', '#1', '#2', '#3', '#3!gate', '/researcher.0#0', '/researcher.0#1']);
    expect(byId.get('#0')).toMatchObject({
      verb: 'ask',
      model: 'anthropic/claude-sonnet-4-5',
      prompt: 'tip#0',
      fp: 'fp#0',
    });
    expect(byId.get('#1')).toMatchObject({ class: 'pure', fp: 'fp#1', result: contentHash({ shop: 'leaf & co' }) });
    expect(byId.get('#2')).toMatchObject({ verb: 'spawn', path: '/researcher.0' });
    expect(byId.get('#3')).toMatchObject({
      class: 'irreversible',
      input: contentHash({ amount: 5 }),
      result: contentHash({ receipt: 'r-1' }),
    });
    expect(record.models).toEqual(['anthropic/claude-sonnet-4-5', 'openai/gpt-5-mini']);
    expect(record.approvals).toEqual([
      { effect: '#3', generation: 0, name: 'approve:#3', by: 'bob', verdict: 'approve' },
    ]);
  });

  it('has the same hash for a run that crashed twice and one that never did', () => {
    const straight = provenanceOf('r1', purchase());
    expect(provenanceOf('r1', purchase())).toEqual(straight);
    expect(provenanceOf('r1', purchase({ crash: true }))).toEqual(straight);
    expect(purchase({ crash: true }).length).toBeGreaterThan(purchase().length);
  });

  it('does not depend on the order in which parallel effects ended', () => {
    const one = new JournalBuilder().add(runStart(), pure('/a#0', 'a', 1), pure('/b#0', 'b', 2)).entries;
    const other = new JournalBuilder().add(runStart(), pure('/b#0', 'b', 2), pure('/a#0', 'a', 1)).entries;
    expect(provenanceOf('r1', one).hash).toBe(provenanceOf('r1', other).hash);
  });

  it('leaves cost, usage and failure texts out of the output, which a crash can change', () => {
    const failed = (message: string) =>
      provenanceOf(
        'r1',
        new JournalBuilder().add(
          runStart(),
          runEnd({ stop: 'failed', because: message, failure: { code: 'EFFECT_TIMEOUT', message, retryable: true } }),
        ).entries,
      );
    expect(failed('after 31 ms').hash).toBe(failed('after 29 ms').hash);
  });

  it.each<[string, (entries: readonly Entry[]) => readonly Entry[]]>([
    [
      'a result',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'complete' && event.id === '#3',
          (entry) => ({ ...entry, event: complete('#3', { receipt: 'r-2' }) }),
        ),
    ],
    [
      'an input',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'intent',
          (entry) => ({ ...entry, event: intent('#3', 'charge', { input: { amount: 500 } }) }),
        ),
    ],
    [
      'an approver',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'wait-end',
          (entry) => ({ ...entry, event: verdict('#3', 'approve', 'eve') }),
        ),
    ],
    [
      'the code',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'run-start',
          (entry) => ({ ...entry, event: runStart({ version: '4' }) }),
        ),
    ],
    [
      'the output',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'run-end',
          (entry) => ({ ...entry, event: runEnd({ stop: 'done', value: 'other' }) }),
        ),
    ],
    [
      'the parent of a fork',
      (entries) =>
        changed(
          entries,
          ({ event }) => event.type === 'run-start',
          (entry) => ({
            ...entry,
            event: runStart({
              fork: { run: 'r0', generation: 0, seq: 3, live: false, by: 'ada', state: newRunState('ada') },
            }),
          }),
        ),
    ],
    ['one effect less', (entries) => entries.filter(({ event }) => !(event.type === 'complete' && event.id === '#1'))],
  ])('has another hash when %s differs', (_what, change) => {
    expect(provenanceOf('r1', change(purchase())).hash).not.toBe(provenanceOf('r1', purchase()).hash);
    expect(provenanceOf('r2', purchase()).hash).not.toBe(provenanceOf('r1', purchase()).hash);
  });

  it('says so when a result was simulated or rests on the word of a person', () => {
    const journal = new JournalBuilder().add(runStart(), intent('#0', 'pay'), complete('#0', 1, { how: 'person' }));
    journal.add(complete('#1', 2, { fp: 'f', of: 'call', name: 'mail', how: 'simulated' }));
    expect(provenanceOf('r1', journal.entries).effects).toMatchObject([
      { standIn: 'person' },
      { standIn: 'simulated' },
    ]);
  });

  it('counts neither a rejection nor silence as approval', () => {
    const journal = new JournalBuilder().add(runStart(), gate('#0', 'pay'), verdict('#0', 'reject', 'bob'));
    journal.add(abort('#0', 'APPROVAL_REJECTED', { of: 'call', name: 'pay', fp: 'f' }));
    journal.add(gate('#1', 'mail'), { type: 'wait-end', id: '#1!gate', timedOut: true });
    const record = provenanceOf('r1', journal.entries);
    expect(record.approvals).toEqual([]);
    expect(record.effects).toContainEqual(expect.objectContaining({ id: '#0', failure: 'APPROVAL_REJECTED' }));
  });

  it('is verified against its hash, and any change is found [R2-VIEW-PROVENANCE]', () => {
    const record = provenanceOf('r1', purchase());
    expect(verifyProvenance(JSON.parse(JSON.stringify(record)))).toBe(true);
    expect(verifyProvenance({ ...record, code: '4' })).toBe(false);
    expect(
      verifyProvenance({ ...record, approvals: record.approvals.map((approval) => ({ ...approval, by: 'eve' })) }),
    ).toBe(false);
  });

  it('hashes a result of undefined, which has no JSON', () => {
    const journal = new JournalBuilder().add(runStart(), pure('#0', 'nothing', undefined));
    expect(provenanceOf('r1', journal.entries).effects[0]?.result).toBe(contentHash(undefined));
  });
});
