import type { Entry, EventOf } from 'flyball';
import type { CountedAxis } from '../../packages/flyball/src/core/budget.js';
import type { Violation } from './world.js';

/** Whoever operates it is told of a model that reports more than was reserved for it: bounds are soft there. */
export function alerts({ entries }: { readonly entries: readonly Entry[] }): readonly Violation[] {
  const asked = new Map<string, EventOf<'ask-start'>>();
  const told = new Set<string>();
  const found: Violation[] = [];
  for (const { event, generation } of entries) {
    if (event.type === 'ask-start') asked.set(`${generation}:${event.id}`, event);
    if (event.type === 'operator-alert' && 'effect' in event) told.add(`${generation}:${event.effect}`);
    if (event.type !== 'ask-end') continue;
    const ask = `${generation}:${event.id}`;
    const { reserved = {} } = asked.get(ask) ?? {};
    const over = Object.entries(event.spent ?? {}).find(([axis, amount]) => {
      const most = reserved[axis as CountedAxis];
      return most !== undefined && amount !== undefined && amount > most + 1e-9;
    });
    if (over !== undefined && !told.has(ask))
      found.push({ rule: 'budget:untold', detail: `${ask} reports ${over.join(': ')}, and nobody is told` });
  }
  return found;
}
