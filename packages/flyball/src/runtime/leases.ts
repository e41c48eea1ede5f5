import type { Clock } from '../ports/clock.js';

export interface Term {
  readonly now: number;
  readonly leaseMs: number;
  /** By the monotonic reading. */
  readonly until: number;
}

/** The leases of the runs that live here. In the engine they go by its clock; here by the monotonic reading. */
export class Leases {
  private readonly clock: Clock;
  private readonly leaseMs: number;
  /** By run. Whoever is about to act compares it with the monotonic reading. */
  readonly until: ReadonlyMap<string, number>;
  private readonly terms = new Map<string, number>();

  constructor(clock: Clock, leaseMs: number) {
    this.clock = clock;
    this.leaseMs = leaseMs;
    this.until = this.terms;
  }

  /** A lease that is about to be asked for: `hold` it when it is granted. It is over here before it is over there. */
  term(): Term {
    const { leaseMs } = this;
    return { now: this.clock.now(), leaseMs, until: this.clock.monotonic() + leaseMs };
  }

  hold(runId: string, { until }: { readonly until: number }): void {
    this.terms.set(runId, until);
  }

  /** Those of the runs whose lease was not renewed in time. */
  lapsed(runIds: Iterable<string>): readonly string[] {
    const now = this.clock.monotonic();
    return [...runIds].filter((runId) => now >= (this.until.get(runId) ?? now));
  }

  drop(runId: string): void {
    this.terms.delete(runId);
  }

  clear(): void {
    this.terms.clear();
  }
}
