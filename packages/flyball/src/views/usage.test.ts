import { describe, expect, it } from 'vitest';
import { budget, NOTHING } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import { newRunState } from '../core/run-state.js';
import {
  askEnd,
  askStart,
  attemptStart,
  complete,
  intent,
  JournalBuilder,
  purchase,
  runEnd,
  runStart,
  spawnStart,
} from './fixtures.test-data.js';
import { UsageFold } from './usage.js';

function used(entries: readonly Entry[]): UsageFold {
  const fold = new UsageFold();
  for (const entry of entries) fold.apply(entry);
  return fold;
}

describe('usage', () => {
  it('counts iterations while they happen, and takes the figure of the end as it is [F-D5]', () => {
    const journal = new JournalBuilder().add(runStart(), attemptStart(1));
    for (let n = 1; n <= 3; n++) journal.add({ type: 'note', path: '', event: { kind: 'iteration', loop: '', n } });
    expect(used(journal.entries).spent.iterations).toBe(3);
    journal.add({ type: 'budget-warning', node: '', axis: 'iterations', spent: 4, limit: 5 });
    journal.add({ type: 'note', path: '', event: { kind: 'iteration', loop: '', n: 4 } });
    expect(used(journal.entries).spent.iterations).toBe(4); // told twice, taken once
    journal.add(runEnd({ stop: 'done', value: 1, usage: { ...NOTHING, iterations: 4 } }));
    expect(used(journal.entries).spent.iterations).toBe(4);
  });

  it('adds up what effects spent, a child included', () => {
    const { spent } = used(purchase());
    expect(spent).toMatchObject({ modelCalls: 3, toolCalls: 2, tokensIn: 420, tokensOut: 100 });
  });

  it('shows a model call that a crash cut off apart, with all it had reserved [R2-BUDGET-OPEN-COUNTS] [F-K6]', () => {
    const { spent, possibly } = used(purchase({ crash: true }));
    expect(spent).toMatchObject({ modelCalls: 3, tokensIn: 420, tokensOut: 100, toolCalls: 2 });
    expect(possibly).toMatchObject({ modelCalls: 1, tokensIn: 500, tokensOut: 200 });
  });

  it('counts a model call that a bound cut off, but not one in a scope beside it', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('/a#0'), askStart('/b#0'));
    journal.add({ type: 'trip', node: '/a', bound: 'costUsd', limit: 1, spent: 1, wanted: 1, left: 0 });
    expect(used(journal.entries).possibly.tokensIn).toBe(500);
    journal.add(askEnd('/b#0'));
    expect(used(journal.entries).possibly.tokensIn).toBe(500);
    expect(used(journal.entries).spent.tokensIn).toBe(120);
  });

  it('counts a model call that a child left open at its end', () => {
    const journal = new JournalBuilder().add(
      runStart(),
      spawnStart('#0', 'child', '/c.0'),
      askStart('/c.0/race/1#0'),
      askStart('#1'),
    );
    journal.add({ type: 'spawn-end', id: '#0', outcome: { stop: 'done', value: 1 } });
    expect(used(journal.entries).possibly.tokensIn).toBe(500);
  });

  it('does not count what open calls have reserved, but counts each tool call from its beginning [R8-REST-DOUBT-COUNTS]', () => {
    const reserved = { toolCalls: 1, filesChanged: 3 };
    const journal = new JournalBuilder().add(runStart(), askStart('#0'), intent('#1', 'pay', { reserved }));
    expect(used(journal.entries).spent).toEqual({ ...NOTHING, toolCalls: 1 });
    journal.add({ type: 'call-start', id: '#2', fp: 'fp#2', name: 'look', reserved: { toolCalls: 1 } });
    journal.add(intent('#3', 'mail', { of: 'step', reserved: {} })); // a step is no tool call
    expect(used(journal.entries).spent).toEqual({ ...NOTHING, toolCalls: 2 });
  });

  it('counts a call in doubt once: while it is in doubt, and when somebody has said what happened [R8-REST-DOUBT-COUNTS]', () => {
    const journal = new JournalBuilder().add(runStart(), intent('#0', 'pay'), attemptStart(2, 'takeover'));
    journal.add({ type: 'doubt', id: '#0', attempt: 1, name: 'pay', why: 'the process ended' });
    expect(used(journal.entries).spent.toolCalls).toBe(1);
    journal.add(complete('#0', 1, { how: 'person', spent: { toolCalls: 1 } }));
    expect(used(journal.entries).spent.toolCalls).toBe(1);
  });

  it('counts a call that a bound left open once, also when the run goes on and it ends [R8-REST-DOUBT-COUNTS]', () => {
    const journal = new JournalBuilder().add(runStart(), intent('#0', 'put'));
    journal.add(runEnd({ stop: 'bounded', bound: 'toolCalls', limit: 1, usage: { ...NOTHING, toolCalls: 1 } }));
    expect(used(journal.entries).spent.toolCalls).toBe(1);
    journal.add({ type: 'run-resume', by: 'ann' }, complete('#0', 1, { how: 'repeated', spent: { toolCalls: 1 } }));
    expect(used(journal.entries).spent.toolCalls).toBe(1);
  });

  it('counts an INTENT that had to be repeated once, as the ledger does', () => {
    const journal = new JournalBuilder().add(runStart(), intent('#0', 'put'), attemptStart(2, 'takeover'));
    journal.add(intent('#0', 'put', { attempt: 2 }), complete('#0', 1, { how: 'repeated', spent: { toolCalls: 1 } }));
    expect(used(journal.entries).spent.toolCalls).toBe(1);
  });

  it('takes active time as wall time, and leaves idle time out', () => {
    const { spent } = used(
      new JournalBuilder().add(runStart()).after(10).idle(1000).after(5).add(attemptStart(2)).entries,
    );
    expect(spent.wallMs).toBe(15);
  });

  it('knows what the code counted itself from warnings, trips and the end', () => {
    const journal = new JournalBuilder().add(runStart());
    journal.add({ type: 'budget-warning', node: '', axis: 'iterations', spent: 16, limit: 20 });
    journal.add({ type: 'budget-warning', node: '/child', axis: 'filesChanged', spent: 9, limit: 10 });
    expect(used(journal.entries).spent).toMatchObject({ iterations: 16, filesChanged: 0 });
    journal.add({ type: 'trip', node: '', bound: 'iterations', limit: 20, spent: 20, wanted: 1, left: 0 });
    expect(used(journal.entries).spent.iterations).toBe(20);
    journal.add(
      runEnd({ stop: 'bounded', bound: 'iterations', limit: 20, usage: { ...NOTHING, iterations: 20, tokensIn: 7 } }),
    );
    expect(used(journal.entries).spent).toMatchObject({ iterations: 20, tokensIn: 7 });
  });

  it('carries on from what earlier generations spent, once', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0'), askEnd('#0'), {
      type: 'generation-end',
      undo: [],
    });
    const spent = { ...NOTHING, tokensIn: 120, iterations: 3 };
    journal
      .nextGeneration()
      .add({ type: 'generation-start', v: 1, input: {}, budget: budget(), state: { ...newRunState('ada'), spent } });
    journal.add(askStart('#0'), askEnd('#0'));
    expect(used(journal.entries).spent).toMatchObject({ tokensIn: 240, iterations: 3 });
    expect(used(journal.entries.slice(4)).spent).toMatchObject({ tokensIn: 240, iterations: 3 });
  });

  it('takes the limits of the budget under which the run was let go on', () => {
    const journal = new JournalBuilder().add(runStart(), {
      type: 'run-resume',
      by: 'ann',
      budget: budget({ costUsd: 9 }),
    });
    expect(used(journal.entries).limits?.costUsd).toBe(9);
  });
});
