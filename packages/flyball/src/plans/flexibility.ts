import { directDependencies, findCycle } from './graph.js';
import type { Plan } from './plan.js';

/** Looks at one step over one set of finished steps before the count becomes a lower bound: a fraction of a second. */
const LIMIT = 100_000;

/**
 * In how many orders the steps can run. Counted over sets of finished steps, one more step at a time: how often each set
 * is reached. Where there are too many sets, the number of ways to begin is given, since each of them can be finished.
 */
export function linearizations(
  plan: Plan,
  limit: number = LIMIT,
): { readonly linearizations: number; readonly atLeast: boolean } {
  // no beginning of a cyclic plan can be finished, so that not even the lower bound would be true
  if (findCycle(plan) !== undefined) return { linearizations: 0, atLeast: false };
  const needs = masks(plan);
  const bits = needs.map((_, index) => 1n << BigInt(index));
  let ways = new Map<bigint, bigint>([[0n, 1n]]);
  let looked = 0;
  for (let taken = 0; taken < needs.length; taken++) {
    const next = new Map<bigint, bigint>();
    for (const [done, count] of ways) {
      looked += needs.length;
      if (looked > limit) return { ...reported(total(ways)), atLeast: true };
      needs.forEach((need, index) => {
        const bit = bits[index] ?? 0n;
        if ((done & bit) === 0n && (need & ~done) === 0n) next.set(done | bit, (next.get(done | bit) ?? 0n) + count);
      });
    }
    ways = next;
  }
  return reported(total(ways));
}

function total(ways: ReadonlyMap<bigint, bigint>): bigint {
  return [...ways.values()].reduce((sum, count) => sum + count, 0n);
}

function reported(count: bigint): { readonly linearizations: number; readonly atLeast: boolean } {
  const most = BigInt(Number.MAX_SAFE_INTEGER);
  return count > most
    ? { linearizations: Number.MAX_SAFE_INTEGER, atLeast: true }
    : { linearizations: Number(count), atLeast: false };
}

/** For each step the set of steps it waits for, as bits. Ids that no step has are left out. */
function masks(plan: Plan): readonly bigint[] {
  const direct = directDependencies(plan);
  const indexOf = new Map(plan.steps.map(({ id }, index) => [id, index]));
  return plan.steps.map(({ id }) =>
    [...(direct.get(id) ?? [])].reduce((mask, before) => {
      const index = indexOf.get(before);
      return index === undefined ? mask : mask | (1n << BigInt(index));
    }, 0n),
  );
}
