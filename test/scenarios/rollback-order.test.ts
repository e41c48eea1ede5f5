import { type Entry, memoryEngine } from 'flyball';
import { describe, expect, it } from 'vitest';
import { booksOf } from '../../packages/flyball/src/testing/scenarios/books.js';
import { type Played, play, stageOn } from '../../packages/flyball/src/testing/scenarios/play.js';
import { meeting } from './features.js';

const scenario = meeting(['all', 'rolled back']);

async function played(): Promise<Played> {
  const stage = stageOn(memoryEngine());
  try {
    return await play(scenario, { name: 'straight' }, stage);
  } finally {
    stage.clock.stop();
    await stage.engine.close();
  }
}

/** The same journal, whose rollback tells its entries in another order. */
function told(entries: readonly Entry[], order: (names: readonly string[]) => readonly string[]): readonly Entry[] {
  return entries.map((entry) => {
    const { event } = entry;
    if (event.type !== 'rollback-end') return entry;
    const { report } = event;
    const names = order(report.entries.map(({ name }) => name));
    const sorted = names.flatMap((name) => report.entries.filter((one) => one.name === name));
    return { ...entry, event: { ...event, report: { ...report, entries: sorted } } };
  });
}

describe('the books of a rollback', () => {
  it('are right where two branches acted side by side [R7-DRIVER]', async () => {
    const straight = await played();
    expect(straight.outside.undone.map(({ what }) => what)).toEqual(['car', 'flight']);
    expect(booksOf(scenario, straight)).toEqual([]);
  });

  it('are wrong when a report is not newest first, within a branch or across branches [R7-DRIVER]', async () => {
    const straight = await played();
    const swapped = (one: string, other: string) =>
      told(straight.entries, (names) => names.map((name) => ({ [one]: other, [other]: one })[name] ?? name));
    for (const entries of [swapped('car', 'work'), swapped('flight', 'side'), swapped('work', 'side')])
      expect(booksOf(scenario, { ...straight, entries })).toContainEqual(
        expect.stringContaining('a rollback is not newest first'),
      );
  });

  it('are wrong when something was undone out of the order of the report [R7-DRIVER]', async () => {
    const straight = await played();
    straight.outside.undone.reverse();
    expect(booksOf(scenario, straight)).toEqual([
      expect.stringContaining('what was undone was not undone in the order of the report'),
    ]);
  });
});
