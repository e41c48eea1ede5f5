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
  private readonly until = new Map<string, number>();

  constructor(clock: Clock, leaseMs: number) {
    this.clock = clock;
    this.leaseMs = leaseMs;
  }

  /** A lease that is about to be asked for: `hold` it when it is granted. It is over here before it is over there. */
  term(): Term {
    const { leaseMs } = this;
    return { now: this.clock.now(), leaseMs, until: this.clock.monotonic() + leaseMs };
  }

  hold(runId: string, { until }: { readonly until: number }): void {
    this.until.set(runId, until);
  }

  holds(runId: string): boolean {
    return (this.until.get(runId) ?? Number.NEGATIVE_INFINITY) > this.clock.monotonic();
  }

  /** Those of the runs whose lease was not renewed in time. */
  lapsed(runIds: Iterable<string>): readonly string[] {
    return [...runIds].filter((runId) => !this.holds(runId));
  }

  drop(runId: string): void {
    this.until.delete(runId);
  }

  clear(): void {
    this.until.clear();
  }
}
