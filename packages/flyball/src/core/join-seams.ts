import type { SeamName, Seams } from './seams.js';

/**
 * One set of seams out of several, in the order given: what stands first sees a value first and its result last.
 * Middleware that changes arguments belongs before the guards that judge them.
 */
export function joinSeams(...sets: readonly Seams[]): Seams {
  const joined: Partial<Record<SeamName, unknown[]>> = {};
  for (const set of sets) {
    for (const [name, middleware] of Object.entries(set) as [SeamName, readonly unknown[] | undefined][]) {
      if (middleware === undefined || middleware.length === 0) continue;
      joined[name] = [...(joined[name] ?? []), ...middleware];
    }
  }
  return joined as Seams; // each list holds only what stood under the same name
}
