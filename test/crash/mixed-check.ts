import type { Entry, Outcome } from 'flyball';
import { expect } from 'vitest';
import type { Ended, MixedRuns } from './mixed-run.js';
import { isNewestFirst, undonePositions } from './rollback-order.js';

/** What a run has to have in common with the one that never crashed. */
export interface Likeness {
  readonly stop: string;
  readonly value: unknown;
  /** Each effect that the rollback of the run dealt with, and how. Branches end in any order, so theirs is checked apart. */
  readonly rollback: readonly string[];
}

/** What is left out of the comparison. */
export interface Leaving {
  /**
   * Effects of branches that lose a race. They are undone when they lose, or by the rollback of the run where a crash left
   * them in doubt until then. Which of both it is depends on how long commits take; that they are undone does not.
   */
  readonly undoneSooner?: readonly string[];
}

export function likenessOf({ outcome }: Ended, { undoneSooner = [] }: Leaving = {}): Likeness {
  const all = 'rollback' in outcome ? (outcome.rollback?.entries ?? []) : [];
  const rollback = all.filter(({ name, status }) => !(undoneSooner.includes(name) && status === 'COMPENSATED'));
  return {
    stop: outcome.stop,
    value: resultOf(outcome),
    rollback: rollback.map(({ name, status }) => `${name} ${status}`).sort(),
  };
}

function resultOf(outcome: Outcome<unknown>): unknown {
  return 'value' in outcome ? outcome.value : 'partial' in outcome ? outcome.partial : null;
}

/** Same ends, same world, and everything that cannot be repeated was made once, or somebody was asked about it. */
export function expectAlike(crashed: MixedRuns, calm: MixedRuns, leaving: Leaving = {}): void {
  const of = ({ runs }: MixedRuns) => runs.map((ended) => likenessOf(ended, leaving));
  expect(of(crashed)).toEqual(of(calm));
  expect(crashed.world.left(), 'what is left in the world').toEqual(calm.world.left());
  for (const [key, { name, times }] of crashed.world.made) expect(times, `${name} (${key})`).toBe(1);
  for (const { entries } of crashed.runs) expectWhole(entries);
}

function expectWhole(entries: readonly Entry[]): void {
  expect(isNewestFirst(undonePositions(entries)), 'newest first').toBe(true);
  expect(entries.map(({ seq }) => seq)).toEqual(entries.map((_entry, index) => index));
  const ended = new Set(
    entries.flatMap(({ event }) => (event.type === 'complete' || event.type === 'abort' ? [event.id] : [])),
  );
  for (const { event } of entries)
    if (event.type === 'intent') expect(ended, `${event.name} has an end`).toContain(event.id);
  const told = entries.flatMap(({ event }) =>
    event.type === 'scope-start' || event.type === 'scope-end' || event.type === 'best' ? [event.type] : [],
  );
  expect(told, 'told once').toEqual(['scope-start', 'best', 'scope-end']);
  // an effect that was attempted again without a `verify` was first put before a person
  const repeated = entries.flatMap(({ event }) =>
    event.type === 'intent' && event.name === 'reserve' && event.attempt > 1 ? [event.id] : [],
  );
  const doubted = entries.flatMap(({ event }) => (event.type === 'doubt' ? [event.id] : []));
  for (const id of repeated) expect(doubted, `${id} was reported in doubt`).toContain(id);
}
