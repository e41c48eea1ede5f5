import type { Entry } from 'flyball';

/** Where in the journal each effect ended that the rollback of the whole run undid, in the order of undoing. */
export function undonePositions(entries: readonly Entry[]): readonly number[] {
  const announced = entries.findIndex(({ event }) => event.type === 'rollback-start' && event.scope === '');
  if (announced === -1) return [];
  const undone = entries
    .slice(announced)
    .flatMap(({ event }) =>
      event.type === 'intent' && event.of === 'undo' ? [event.input as { effect: string; generation: number }] : [],
    );
  const names = [...new Set(undone.map(({ generation, effect }) => `${generation} ${effect}`))];
  return names.map((name) =>
    entries.findLastIndex(({ event, generation }) => event.type === 'complete' && `${generation} ${event.id}` === name),
  );
}

/** The rollback of the whole run goes from the newest effect to the oldest, over all lives. */
export function isNewestFirst(positions: readonly number[]): boolean {
  return positions.every((position, n) => n === 0 || position < (positions[n - 1] ?? 0));
}
