import type { SeamMiddleware, SeamName, SeamStep, Seams } from '../core/seams.js';

/** Runs `value` through the seam's middleware and ends in `last`. */
export function through<S extends SeamName>(seams: Seams, seam: S, last: SeamStep<S>): SeamStep<S> {
  const chain = seams[seam] as readonly SeamMiddleware<S>[] | undefined;
  if (chain === undefined) return last;
  return chain.reduceRight((next, middleware) => middleware(next), last);
}

export function hasSeam(seams: Seams, seam: SeamName): boolean {
  return (seams[seam]?.length ?? 0) > 0;
}
