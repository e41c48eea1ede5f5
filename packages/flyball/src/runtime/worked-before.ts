import type { Claim } from '../ports/engine.js';
import type { Recorded } from './recorded.js';

/**
 * How long a run was at work in the lives before this one. The journal knows it as of its last entry, and whoever worked
 * on the run has said it with every sign of life. One that was killed worked on after both, but not for longer than until
 * its next sign was due: so much is counted. A bound on time must hold for runs that kill their process too.
 */
export function workedBefore(
  { activeMs, lastAt }: Pick<Recorded, 'activeMs' | 'lastAt'>,
  { record, previous }: Claim,
  at: { readonly now: number; readonly signEveryMs: number },
): number {
  const known = Math.max(activeMs, record.activeMs);
  if (previous === undefined) return known;
  const diedBy = Math.min(at.now, previous.aliveAt + at.signEveryMs);
  // which of the two came last is told by the work, and not by dates that may have been set in between
  const knownSince = record.activeMs > activeMs ? previous.aliveAt : Math.max(previous.aliveAt, lastAt);
  return Math.trunc(known + Math.max(0, diedBy - knownSince));
}
