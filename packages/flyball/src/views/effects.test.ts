import { describe, expect, it } from 'vitest';
import { EffectFold, effectsOf } from './effects.js';
import {
  abort,
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  purchase,
  pure,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';

describe('effects', () => {
  it('finds every effect once, whatever the number of attempts at it', () => {
    const seen = (entries: Parameters<typeof effectsOf>[0]) =>
      effectsOf(entries).map(({ id, verb, name, status }) => [id, verb, name, status]);
    const expected = [
      ['#0', 'ask', 'drafter', 'ok'],
      ['#1', 'step', 'choose', 'ok'],
      ['#2', 'spawn', 'researcher', 'ok'],
      ['/researcher.0#0', 'ask', 'reader', 'ok'],
      ['/researcher.0#1', 'call', 'search', 'ok'],
      ['#3!gate', 'wait', 'approve:#3', 'ok'],
      ['#3', 'call', 'charge', 'ok'],
    ];
    expect(seen(purchase())).toEqual(expected);
    expect(seen(purchase({ crash: true }))).toEqual(expected);
    expect(effectsOf(purchase({ crash: true }))[0]?.starts).toBe(2);
  });

  it('keeps effects of different generations apart although their ids are the same', () => {
    const journal = new JournalBuilder().add(runStart(), pure('#0', 'a', 1));
    journal.nextGeneration().add(pure('#0', 'b', 2));
    expect(effectsOf(journal.entries).map(({ generation, name }) => [generation, name])).toEqual([
      [0, 'a'],
      [1, 'b'],
    ]);
  });

  it('lets a pure effect begin when the code was last given something, and never before', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0')).after(100).add(askEnd('#0'));
    journal.after(30).add(pure('#1', 'read', 1)); // began with the answer, 30 ms before
    journal
      .idle(5000)
      .add(attemptStart(2, 'takeover'))
      .after(7)
      .add(pure('#2', 'write', 1)); // not 5 s before
    const [, read, write] = effectsOf(journal.entries);
    expect(read).toMatchObject({ inferredStart: true });
    expect((read?.endedAt ?? 0) - (read?.startedAt ?? 0)).toBe(30);
    expect((write?.endedAt ?? 0) - (write?.startedAt ?? 0)).toBe(7);
  });

  it('drops what a closed scope leaves without an end, but never an INTENT', () => {
    const journal = new JournalBuilder().add(runStart(), spawnStart('#0', 'child', '/c.0'));
    journal.add(askStart('/c.0#0'), intent('/c.0#1', 'pay'), askStart('#1'));
    journal.add({ type: 'trip', node: '/c.0', bound: 'costUsd', limit: 1, spent: 1, wanted: 1, left: 0 });
    const byId = () => new Map(effectsOf(journal.entries).map((effect) => [effect.id, effect]));
    expect(byId().get('/c.0#0')).toMatchObject({ status: 'error', dropped: true });
    expect(byId().get('/c.0#1')).toMatchObject({ status: 'open' });
    expect(byId().get('#1')).toMatchObject({ status: 'open' });
    expect(byId().get('#0')).toMatchObject({ status: 'open' }); // the child still writes its own end
    journal.add(complete('/c.0#1', 1), runEnd({ stop: 'done', value: 1 }));
    expect(byId().get('/c.0#1')).toMatchObject({ status: 'ok' });
    expect(byId().get('#1')).toMatchObject({ status: 'error', dropped: true });
  });

  it('opens again what a bound of the whole run had dropped, once it may go on', () => {
    const fold = new EffectFold();
    const journal = new JournalBuilder().add(runStart(), { type: 'sleep-start', id: '#0', fp: 'f', due: 5 });
    journal.add({ type: 'trip', node: '', bound: 'wallMs', limit: 1, spent: 1, wanted: 0, left: 0 });
    for (const entry of journal.entries.splice(0)) fold.apply(entry);
    expect(fold.open()).toEqual([]);
    journal.add({ type: 'run-resume', by: 'ann' });
    for (const entry of journal.entries) fold.apply(entry);
    expect(fold.open()).toMatchObject([{ id: '#0', status: 'open' }]);
  });

  it('calls an aborted effect and a child without a value errors', () => {
    const journal = new JournalBuilder().add(runStart(), abort('#0', 'EFFECT_FAILED', { of: 'call', name: 'mail' }));
    journal.add(spawnStart('#1', 'child', '/c.0'), {
      type: 'spawn-end',
      id: '#1',
      outcome: { stop: 'blocked', because: 'no' },
    });
    expect(effectsOf(journal.entries).map(({ name, status }) => [name, status])).toEqual([
      ['mail', 'error'],
      ['child', 'error'],
    ]);
  });
});
