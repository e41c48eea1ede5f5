import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from '../core/canonical.js';
import { checkpointKey, checkpointOf, isBarrier } from './checkpoint.js';
import {
  askStart,
  attemptStart,
  complete,
  gate,
  intent,
  JournalBuilder,
  phase,
  purchase,
  pure,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';

describe('checkpoint', () => {
  it('holds the state from which a crash at this point would resume [R2-VIEW-CHECKPOINT] [V10.8]', () => {
    const entries = purchase({ upTo: 'payment' });
    expect(checkpointOf('r1', entries)).toMatchObject({
      loopId: 'r1',
      phase: 'ACT',
      planState: { steps: ['research', 'pay'] },
      completedActions: [
        { id: '#0', verb: 'ask', name: 'drafter', status: 'ok' },
        { id: '#1', name: 'choose' },
        { id: '#2', name: 'researcher' },
        { id: '/researcher.0#0', name: 'reader' },
        { id: '/researcher.0#1', name: 'search' },
        { id: '#3!gate', verb: 'wait' },
      ],
      pendingActions: [{ id: '#3', verb: 'call', name: 'charge' }],
      tokenConsumption: { input: 420, output: 100 },
      timestamp: entries.at(-1)?.at,
      position: { generation: 0, seq: entries.length - 1 },
    });
  });

  it('holds the outputs so far, and the outcome at the end [R2-VIEW-CHECKPOINT]', () => {
    const { outputsSoFar, outcome } = checkpointOf('r1', purchase());
    expect(outputsSoFar.map(({ id, value }) => [id, value])).toEqual([
      ['#0', 'buy green tea'],
      ['#1', { shop: 'leaf & co' }],
      ['#2', { stop: 'done', value: 'good' }],
      ['/researcher.0#0', 'it is good'],
      ['/researcher.0#1', { text: 'found' }],
      ['#3!gate', { verdict: 'approve' }],
      ['#3', { receipt: 'r-1' }],
    ]);
    expect(outcome).toEqual({ stop: 'done', value: { receipt: 'r-1' } });
  });

  it('holds no outcome once a bounded run goes on', () => {
    const journal = new JournalBuilder().add(runStart(), runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }));
    expect(checkpointOf('r1', journal.entries)).toHaveProperty('outcome');
    journal.add({ type: 'run-resume', by: 'ann' }, attemptStart(2, 'resume'));
    expect(checkpointOf('r1', journal.entries)).not.toHaveProperty('outcome');
  });

  it('counts asks, intents, waits, sleeps and children that are open as pending [R2-VIEW-CHECKPOINT]', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0'), intent('#1', 'pay'), gate('#2', 'mail'));
    journal.add({ type: 'sleep-start', id: '#3', fp: 'f', due: 9 }, spawnStart('#4', 'child', '/c.0'));
    expect(checkpointOf('r1', journal.entries).pendingActions.map(({ verb }) => verb)).toEqual([
      'ask',
      'call',
      'wait',
      'sleep',
      'spawn',
    ]);
  });

  it('moves to the next iteration with every durable write that something waits for, and only with those', () => {
    const journal = new JournalBuilder().add(runStart());
    expect(checkpointOf('r1', journal.entries).iteration).toBe(1);
    journal.add(pure('#0', 'look', 1), phase('ACT'));
    expect(checkpointOf('r1', journal.entries).iteration).toBe(1);
    journal.add(intent('#1', 'pay'), complete('#1', 2));
    expect(checkpointOf('r1', journal.entries).iteration).toBe(2);
    expect(purchase().filter(({ event }) => isBarrier(event))).toHaveLength(6);
  });

  it('is keyed by SHA-256 of loop and iteration, and no two share a key', () => {
    const { key, iteration } = checkpointOf('r1', purchase());
    expect(key).toBe(createHash('sha256').update(`r1|${iteration}`).digest('hex'));
    expect(checkpointKey('a1', 2)).not.toBe(checkpointKey('a', 12));
  });

  it('measures its state in bytes', () => {
    const { key: _key, sizeBytes, ...state } = checkpointOf('r1', purchase());
    expect(sizeBytes).toBe(Buffer.byteLength(canonicalJson(state)));
  });
});
