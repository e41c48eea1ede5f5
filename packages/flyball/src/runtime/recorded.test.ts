import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import type { Failure } from '../core/errors.js';
import type { Entry, EventOf, RunEvent } from '../core/events.js';
import { snapshotFor } from '../core/run-state.js';
import {
  askEnd,
  askStart,
  attemptStart,
  complete,
  gate,
  intent,
  JournalBuilder,
  runEnd,
  runStart,
  spawnStart,
} from '../views/fixtures.test-data.js';
import type { LoadedEntry } from './loaded-entry.js';
import { indexJournal, type Recorded } from './recorded.js';

/**
 * Where a fork's index has each field from. inherit: the entries of its parent count, because its code repeats them.
 * own: they do not, because they are about the parent's life and acts. A field that is not named here does not compile.
 */
const OF_A_FORK: { readonly [Field in keyof Recorded]: 'inherit' | 'own' } = {
  input: 'own',
  budget: 'own',
  budgets: 'inherit',
  slices: 'inherit',
  late: 'inherit',
  lifts: 'inherit',
  first: 'own',
  times: 'inherit',
  deliveries: 'inherit',
  turnsOf: 'inherit',
  applied: 'inherit',
  starts: 'inherit',
  ends: 'inherit',
  stoppedCalls: 'own',
  openWaits: 'own',
  doubts: 'own',
  rollbacks: 'inherit',
  undone: 'inherit',
  rollbackStarts: 'own',
  changedIds: 'inherit',
  changesToAsk: 'inherit',
  warned: 'inherit',
  told: 'inherit',
  overlaps: 'inherit',
  attempts: 'own',
  nextSeq: 'own',
  lastAt: 'own',
  activeMs: 'own',
  saga: 'own',
  acts: 'own',
  intents: 'own',
  intentOwners: 'inherit',
  intended: 'inherit',
  before: 'inherit',
  state: 'own',
  isPaused: 'own',
  end: 'own',
};

const report = {
  success: true,
  entries: [{ effect: '/b#0', generation: 0, name: 'x', status: 'COMPENSATED' }],
} as const;

const stoppedByBound: Failure = {
  code: 'BOUND_REACHED',
  message: 'toolCalls is at most 1',
  retryable: false,
  detail: { node: '' },
};

/** Something in every field of the index. */
function parent(): readonly Entry[] {
  const events: readonly RunEvent[] = [
    runStart({ input: 'of the parent' }),
    attemptStart(1),
    { type: 'redirect', by: 'ann', text: 'Be brief.' },
    { type: 'note', path: '', event: { kind: 'told' } },
    { type: 'note', path: '', event: { kind: 'private' } },
    { type: 'pin', name: ' policy', value: 'strict' },
    { type: 'changed', id: 'new', path: '' },
    { type: 'scope-overlap', path: '' },
    askStart('#0'),
    askEnd('#0'),
    { type: 'budget-warning', node: '', axis: 'costUsd', spent: 8, limit: 10 },
    intent('#1', 'pay'),
    { type: 'doubt', id: '#1', attempt: 1, name: 'pay', why: 'it was cut off' },
    complete('#1', 'paid'),
    { ...(intent('#5', 'send') as EventOf<'intent'>), of: 'call' },
    { type: 'abort', id: '#5', failure: stoppedByBound, ran: true },
    gate('#3!gate', 'refund'),
    { type: 'slice-change', id: '#2', path: '/c.0', limits: budget() },
    { type: 'rollback-start', scope: '/b', why: 'another branch won', entries: [] },
    { type: 'rollback-end', scope: '/b', report },
    { ...(spawnStart('#4', 'child', '/child.0') as EventOf<'spawn-start'>), late: true },
    { type: 'trip', node: '/child.0', bound: 'toolCalls', limit: 1, spent: 1, wanted: 1, left: 0 },
    { type: 'spawn-end', id: '#4', outcome: { stop: 'bounded', bound: 'toolCalls', limit: 1 } },
    { type: 'run-resume', by: 'ann', budget: budget() },
    spawnStart('#6', 'poster', '/poster.1'),
    { type: 'post', id: '/poster.1#0', fp: 'f', owner: '', board: 'facts', entry: 1 },
    { type: 'spawn-end', id: '#6', outcome: { stop: 'done', value: 1 } },
    runEnd({ stop: 'bounded', bound: 'costUsd', limit: 1 }),
    { type: 'run-pause', by: 'ann' },
  ];
  return new JournalBuilder().after(5).add(...events).entries;
}

/** A fork's own part, as it is made: its start, and nothing yet. */
function forkStart(of: readonly Entry[]): Entry {
  const state = snapshotFor('liveFork', indexJournal(of, { deep: false }).state.state());
  const fork = { run: 'p', generation: 0, seq: of.length - 1, live: true, by: 'eve', state };
  const event = runStart({ input: 'of the fork', budget: budget({ costUsd: 9 }), fork });
  return { generation: 0, seq: 0, at: 1_800_000_000_000, activeMs: 0, event };
}

describe('the index of a fork', () => {
  const past = parent();
  const start = forkStart(past);
  const inherited = past.map((entry): LoadedEntry => ({ ...entry, inherited: 'p' }));
  const before = indexJournal(past, { deep: false });
  const alone = indexJournal([start], { deep: false });
  const forked = indexJournal([...inherited, start], { deep: false });

  /** What a field says; of one that is asked, what it says of everything. */
  const told = (index: Recorded, field: keyof Recorded): unknown =>
    field === 'turnsOf' ? index.turnsOf(() => true) : index[field];

  it.each(Object.keys(OF_A_FORK) as (keyof Recorded)[])('%s is as it is declared', (field) => {
    expect(told(before, field), 'the parent has nothing there').not.toEqual(told(alone, field));
    if (OF_A_FORK[field] === 'own') expect(told(forked, field)).toEqual(told(alone, field));
    else expect(told(forked, field)).not.toEqual(told(alone, field));
  });

  it('knows from its snapshot alone what all of its past says about the run [F-X9] [F-X2] [F-X4]', () => {
    const known = before.state.state();
    expect(forked.state.state()).toEqual({ ...known, liveFork: 'undecided' });
    expect(alone.state.state()).toEqual(forked.state.state());
  });
});
