import { budget, type Entry, type RunEvent } from 'flyball';
import { expect, it } from 'vitest';
import { hasGivenAllAway } from './examine.js';
import type { End } from './journey.js';

const half = budget({ modelCalls: 50 });
const end = { stop: 'bounded', bound: 'modelCalls', limit: 100 } as End;
const change = (id: string) => ({ type: 'slice-change', id, limits: half });
const ended = (id: string) => ({ type: 'spawn-end', id, outcome: { stop: 'done' } });
const note = { type: 'note' };

/** Two equal parts got halves of a new budget, and code beside them was told that nothing is left. */
function standsByDesign(...since: readonly object[]): boolean {
  const parts = ['a', 'b'].map((id) => ({ type: 'spawn-start', id, slice: { of: 2 }, limits: half }));
  const trip = { type: 'trip', node: '', bound: 'modelCalls', limit: 100 };
  const events = [...parts, { type: 'attempt-start' }, ...since, trip, { type: 'run-end' }];
  return hasGivenAllAway(
    events.map((event, seq): Entry => ({ generation: 0, seq, at: 0, activeMs: 0, event: event as RunEvent })),
    end,
  );
}

it('a part that ended while its process repeated its past is not given back before that past is over', () => {
  expect(standsByDesign(change('a'), ended('a'), change('b'), ended('b'))).toBe(true);
  expect(standsByDesign(change('a'), ended('a'), note, change('b'))).toBe(true);
});

it('a part is given back where its end has moved the code, in this process or before it', () => {
  expect(standsByDesign(change('a'), change('b'), ended('a'), note)).toBe(false);
  expect(standsByDesign(change('a'), ended('a'), { type: 'attempt-start' }, change('b'))).toBe(false);
});
