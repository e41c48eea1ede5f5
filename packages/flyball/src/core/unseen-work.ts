/**
 * How long an owner that did not release a run may have worked on it after its last sign of life: until its next was due,
 * a third of the lease later, and not longer than until now. A bound on time must hold for runs that kill their process
 * too. An engine counts it when it hands the run over, so that it stands even if the next owner dies before it writes.
 */
export function workedUnseen(
  aliveAt: number,
  { now, leaseMs }: { readonly now: number; readonly leaseMs: number },
): number {
  return Math.trunc(Math.max(0, Math.min(now, aliveAt + leaseMs / 3) - aliveAt));
}
