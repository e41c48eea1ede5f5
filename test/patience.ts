/**
 * Real time in tests. Most of them have none: a virtual clock, an event or a file says when to go on. Where only real
 * time will do, it scales by the one factor below, which vitest.config.ts measures from the load of the machine when
 * the tests start (FLYBALL_PATIENCE sets it), and a limit is many times what the work takes on a quiet machine.
 */
const FACTOR = Math.max(1, Number(process.env['FLYBALL_PATIENCE'] ?? 1));

/** A limit on real time, after which what is waited for counts as hung. */
export function patient(ms: number): number {
  return Math.ceil(ms * FACTOR); // a whole number: the limits of processes take no other
}

/** What this process has used of the processor so far. A test of speed takes the difference: other load does not change it. */
export function processorMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
