import { describe, expect, it } from 'vitest';
import { budget } from '../core/budget.js';
import type { Entry } from '../core/events.js';
import { newRunState } from '../core/run-state.js';
import { complete, intent, JournalBuilder, purchase, pure, runStart } from './fixtures.test-data.js';
import { asOf, stateAt } from './time-travel.js';

function twoGenerations(): readonly Entry[] {
  const journal = new JournalBuilder().add(runStart(), intent('#0', 'a'), complete('#0', 1));
  const start = { v: 1, input: 1, budget: budget(), state: newRunState('ada') };
  return journal.nextGeneration().add({ type: 'generation-start', ...start }, pure('#0', 'b', 1)).entries;
}

describe('time travel', () => {
  it('sees the entries up to a position, earlier generations included [R2-VIEW-TIME-TRAVEL]', () => {
    expect(asOf(purchase(), 3).map(({ seq }) => seq)).toEqual([0, 1, 2, 3]);
    expect(asOf(twoGenerations(), 0).map(({ generation, seq }) => `${generation}:${seq}`)).toEqual([
      '0:0',
      '0:1',
      '0:2',
      '1:0',
    ]);
    expect(asOf(twoGenerations(), 1, 0).map(({ generation, seq }) => `${generation}:${seq}`)).toEqual(['0:0', '0:1']);
  });

  it('tells the state of that moment and nothing of what came later [R2-VIEW-TIME-TRAVEL]', () => {
    const entries = purchase();
    const end = stateAt('r1', entries, { seq: entries.length - 1 });
    expect(end).toMatchObject({ summary: { status: 'done' }, open: [], spent: { tokensIn: 420 } });
    const gateAt = entries.findIndex(({ event }) => event.type === 'wait-start');
    const waiting = stateAt('r1', entries, { seq: gateAt });
    expect(waiting.summary).toMatchObject({ status: 'suspended', waiting: [{ name: 'approve:#3' }] });
    expect(waiting.open).toMatchObject([{ id: '#3!gate' }]);
    expect(waiting.checkpoint).toMatchObject({ loopId: 'r1', phase: 'ACT', position: { generation: 0, seq: gateAt } });
    expect(stateAt('r1', entries, { seq: 3 })).toMatchObject({
      spent: { tokensIn: 0 },
      open: [{ id: '#0' }],
      checkpoint: { phase: 'PLAN' },
    });
  });
});
