import type { SeamMiddleware, SeamName, SeamStep, Seams } from './seams.js';
import { joinedOf, usesOf } from './use.js';

/**
 * Joins sets of seams in the given order: the first sees a value first and its result last. Put middleware that
 * changes arguments before the guards that check them. What the sets say they are, the joined ones say too.
 */
export function joinSeams(...sets: readonly Seams[]): Seams {
  const joined: Partial<Record<SeamName, unknown[]>> = {};
  for (const set of sets) {
    for (const [name, middleware] of Object.entries(set) as [SeamName, readonly unknown[] | undefined][]) {
      if (middleware === undefined || middleware.length === 0) continue;
      joined[name] = [...(joined[name] ?? []), ...middleware];
    }
  }
  return joinedOf(joined, sets.flatMap(usesOf)) as Seams; // each list holds only what stood under the same name
}

/** Runs `value` through the seam's middleware and ends in `last`. */
export function through<S extends SeamName>(seams: Seams, seam: S, last: SeamStep<S>): SeamStep<S> {
  const chain = seams[seam] as readonly SeamMiddleware<S>[] | undefined;
  if (chain === undefined) return last;
  return chain.reduceRight((next, middleware) => middleware(next), last);
}
