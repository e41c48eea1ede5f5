import { worlds } from './branches.js';
import { orderOf } from './graph.js';
import type { Plan } from './plan.js';

/** How many steps can run at one moment at most, whatever the width. */
export function maxConcurrency(plan: Plan): number {
  return widest(plan).length;
}

/** A largest set of steps of which none waits for another, all of them on sides that can be taken together. */
export function widest(plan: Plan): readonly string[] {
  const { before } = orderOf(plan);
  let best: readonly string[] = [];
  for (const world of worlds(plan)) {
    if (world.size <= best.length) continue;
    const found = antichain([...world], (earlier, later) => before.get(later)?.has(earlier) === true);
    if (found.length > best.length) best = found;
  }
  return best;
}

/**
 * Dilworth by matching: every step is matched with at most one later step, as many as can be; each match saves a chain,
 * and there are as many chains left as steps in the largest set. König's construction names the set.
 */
function antichain(ids: readonly string[], precedes: (earlier: string, later: string) => boolean): readonly string[] {
  const laterThan = new Map(ids.map((id) => [id, ids.filter((other) => precedes(id, other))]));
  const earlierOf = new Map<string, string>();
  const match = (id: string, tried: Set<string>): boolean =>
    (laterThan.get(id) ?? []).some((later) => {
      if (tried.has(later)) return false;
      tried.add(later);
      const holder = earlierOf.get(later);
      if (holder !== undefined && !match(holder, tried)) return false;
      earlierOf.set(later, id);
      return true;
    });
  for (const id of ids) match(id, new Set());
  const matched = new Set(earlierOf.values());
  const seenEarlier = new Set<string>();
  const seenLater = new Set<string>();
  const visit = (id: string) => {
    if (seenEarlier.has(id)) return;
    seenEarlier.add(id);
    for (const later of laterThan.get(id) ?? []) {
      if (seenLater.has(later)) continue;
      seenLater.add(later);
      const holder = earlierOf.get(later);
      if (holder !== undefined) visit(holder);
    }
  };
  for (const id of ids) if (!matched.has(id)) visit(id);
  return ids.filter((id) => seenEarlier.has(id) && !seenLater.has(id));
}
