import type { Clock } from '../ports/clock.js';

/** The leases of the runs that live here. In the engine they are dates; here they go by the monotonic reading. */
export class Leases {
  private readonly clock: Clock;
  private readonly leaseMs: number;
  private readonly until = new Map<string, number>();

  constructor(clock: Clock, leaseMs: number) {
    this.clock = clock;
    this.leaseMs = leaseMs;
  }

  /** A lease that is about to be asked for: `hold` it when it is granted. */
  term(): { readonly now: number; readonly date: number; readonly until: number } {
    const now = this.clock.now();
    return { now, date: now + this.leaseMs, until: this.clock.monotonic() + this.leaseMs };
  }

  hold(runId: string, { until }: { readonly until: number }): void {
    this.until.set(runId, until);
  }

  holds(runId: string): boolean {
    return (this.until.get(runId) ?? Number.NEGATIVE_INFINITY) > this.clock.monotonic();
  }

  drop(runId: string): void {
    this.until.delete(runId);
  }

  clear(): void {
    this.until.clear();
  }
}
