import { describe, expect, it } from 'vitest';
import { budget, NOTHING } from '../core/budget.js';
import { newRunState } from '../core/run-state.js';
import { type CostLine, type CostReport, costBy, EARLIER, NO_MODEL, NO_PHASE } from './cost.js';
import { askEnd, askStart, JournalBuilder, phase, purchase, pure, runStart } from './fixtures.test-data.js';

function expectToAddUp(report: CostReport): void {
  for (const cut of [report.byPhase, report.byModel]) {
    for (const key of Object.keys(report.total) as (keyof CostLine)[]) {
      const added = Object.values(cut).reduce((sum, line) => sum + line[key], 0);
      expect(added).toBeCloseTo(report.total[key], 12);
    }
  }
}

describe('cost', () => {
  it('is told by phase and by model [R2-VIEW-COST]', () => {
    const report = costBy(purchase());
    expect(report.byPhase['PLAN']).toEqual({
      calls: 1,
      tokensIn: 120,
      tokensOut: 40,
      cacheRead: 20,
      cacheWrite: 0,
      costUsd: 0.0012,
    });
    expect(report.byPhase['ACT']).toMatchObject({ calls: 2, tokensIn: 300, tokensOut: 60 }); // the child works in its parent's phase
    expect(report.byModel['anthropic/claude-sonnet-4-5']).toMatchObject({ calls: 1, costUsd: 0.0012 });
    expect(report.byModel['openai/gpt-5-mini']).toMatchObject({ calls: 2, costUsd: 0.0005 });
    expect(report.total.costUsd).toBeCloseTo(0.0017, 12);
    expectToAddUp(report);
  });

  it('shows a call that a crash cut off apart from the sums [F-K6]', () => {
    const report = costBy(purchase({ crash: true }));
    expect(report.byPhase['PLAN']).toMatchObject({ calls: 1, tokensIn: 120 });
    expect(report.possibly).toMatchObject({ calls: 1, tokensIn: 500 });
    expectToAddUp(report);
  });

  it('charges a call to the phase it began in, although it ended in the next', () => {
    const journal = new JournalBuilder().add(runStart(), phase('A'), askStart('#0'), phase('B'), askEnd('#0'));
    expect(Object.keys(costBy(journal.entries).byPhase)).toEqual(['A']);
  });

  it('keeps what had no phase, and what a tool spent, under names of their own [R2-VIEW-COST]', () => {
    const journal = new JournalBuilder().add(runStart(), askStart('#0'), askEnd('#0'));
    journal.add(
      {
        type: 'complete',
        id: '#1',
        fp: 'f',
        of: 'call',
        name: 'ocr',
        result: 1,
        spent: { costUsd: 0.5, toolCalls: 1 },
      },
      pure('#2', 'free', 1),
    );
    const report = costBy(journal.entries);
    expect(report.byPhase).toEqual({ [NO_PHASE]: report.total });
    expect(report.byModel[NO_MODEL]).toMatchObject({ calls: 0, costUsd: 0.5 });
    expectToAddUp(report);
  });

  it('keeps phases of parallel scopes apart', () => {
    const journal = new JournalBuilder().add(runStart(), phase('A', '/a'), phase('B', '/b'));
    journal.add(askStart('/a#0'), askStart('/b#0'), askEnd('/b#0'), askEnd('/a#0'));
    expect(costBy(journal.entries).byPhase).toMatchObject({ A: { calls: 1 }, B: { calls: 1 } });
  });

  it('carries what earlier generations spent when only the last one is given, and counts it once when all are', () => {
    const journal = new JournalBuilder().add(runStart(), phase('A'), askStart('#0'), askEnd('#0'));
    const spent = { ...NOTHING, modelCalls: 1, tokensIn: 120, tokensOut: 40, costUsd: 0.0012 };
    journal
      .nextGeneration()
      .add({ type: 'generation-start', v: 1, input: 1, budget: budget(), state: { ...newRunState('ada'), spent } });
    journal.add(askStart('#0'), askEnd('#0'));
    const all = costBy(journal.entries);
    const last = costBy(journal.entries.filter(({ generation }) => generation === 1));
    expect(all.total.calls).toBe(2);
    expect(all.byPhase).toMatchObject({ A: { calls: 1 }, [NO_PHASE]: { calls: 1 } }); // a phase ends with its generation
    expect(last.total).toEqual({ ...all.total });
    expect(last.byModel[EARLIER]).toMatchObject({ calls: 1 });
    expectToAddUp(last);
  });
});
