/** How long so many programs may take on a machine that is busy with other things too. */
export function patienceMs(programs: number, eachMs: number): number {
  return Math.max(600_000, programs * eachMs);
}
