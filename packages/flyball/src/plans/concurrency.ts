import { waysThrough } from './branches.js';
import { gridOf } from './graph.js';
import type { Plan } from './plan.js';
import type { Rows } from './reach.js';

/** Looks at one pair of steps. Past it the set is one that can run together, though perhaps not the largest. */
const MAX_LOOKS = 2_000_000;

/** How many steps can run at one moment at most, whatever the width. */
export function maxConcurrency(plan: Plan): number {
  return widest(plan).length;
}

/** A largest set of steps of which none waits for another, all of them on sides that can be taken together. */
export function widest(plan: Plan, ways: Rows = waysThrough(plan).rows): readonly string[] {
  const { ids, rows } = gridOf(plan);
  const looks = { left: MAX_LOOKS };
  let best: readonly number[] = [];
  for (const way of ways) {
    const steps = [...ids.keys()].filter((at) => way[at] === 1);
    if (steps.length <= best.length) continue;
    if (looks.left < 0) break;
    const found = antichain(steps, rows, looks);
    if (found.length > best.length) best = found;
  }
  return best.map((at) => ids[at] ?? '');
}

/**
 * Dilworth by matching: every step is matched with at most one later step, as many as can be; each match saves a chain,
 * and there are as many chains left as steps in the largest set. König's construction names the set.
 */
function antichain(steps: readonly number[], rows: Rows, looks: { left: number }): readonly number[] {
  const laterThan = new Map(steps.map((at) => [at, steps.filter((other) => rows[other]?.[at] === 1)]));
  looks.left -= steps.length * steps.length;
  const earlierOf = new Map<number, number>();
  const match = (at: number, tried: Uint8Array): boolean =>
    (laterThan.get(at) ?? []).some((later) => {
      looks.left--;
      if (tried[later] === 1) return false;
      tried[later] = 1;
      const holder = earlierOf.get(later);
      if (holder !== undefined && !match(holder, tried)) return false;
      earlierOf.set(later, at);
      return true;
    });
  for (const at of steps) match(at, new Uint8Array(rows.length));
  const matched = new Set(earlierOf.values());
  const seenEarlier = new Set<number>();
  const seenLater = new Set<number>();
  const visit = (at: number) => {
    if (seenEarlier.has(at)) return;
    seenEarlier.add(at);
    for (const later of laterThan.get(at) ?? []) {
      if (seenLater.has(later)) continue;
      seenLater.add(later);
      const holder = earlierOf.get(later);
      if (holder !== undefined) visit(holder);
    }
  };
  for (const at of steps) if (!matched.has(at)) visit(at);
  return steps.filter((at) => seenEarlier.has(at) && !seenLater.has(at));
}
