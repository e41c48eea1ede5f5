import type { Refusal } from '../core/budget.js';
import type { Ledger } from '../core/ledger.js';
import type { Clock } from '../ports/clock.js';
import type { Timers } from './timers.js';

/** How long a run has been at work. Waiting for people, signals and timers does not count; an absolute deadline does. */
export class ActiveTime {
  private readonly clock: Clock;
  private readonly timers: Timers;
  /** The run's own ledger, and those of the children at work. */
  private readonly ledgers: Set<Ledger>;
  private readonly onBound: (refusal: Refusal) => void;
  private before: number;
  private since: number | undefined;
  private isArmed = false;

  constructor(parts: {
    readonly clock: Clock;
    readonly timers: Timers;
    readonly ledger: Ledger;
    /** Active time of earlier lives. */
    readonly before: number;
    readonly onBound: (refusal: Refusal) => void;
  }) {
    this.clock = parts.clock;
    this.timers = parts.timers;
    this.ledgers = new Set([parts.ledger]);
    this.before = parts.before;
    this.onBound = parts.onBound;
  }

  total(): number {
    return this.before + (this.since === undefined ? 0 : this.clock.monotonic() - this.since);
  }

  /** The time bound that is over for this ledger or one above it. */
  reached(ledger: Ledger): Refusal | undefined {
    return ledger.outOfTime(this.total(), this.clock.now());
  }

  /** A child begins to count its own time. */
  watch(ledger: Ledger, activeFrom: number): void {
    ledger.activeFrom = activeFrom;
    this.ledgers.add(ledger);
    this.setTimer();
  }

  /** The first absolute deadline of the run or of a child at work. */
  nextDeadline(): number | undefined {
    const deadlines = [...this.ledgers].flatMap(({ limits }) =>
      limits.deadline === undefined ? [] : [limits.deadline],
    );
    return deadlines.length === 0 ? undefined : Math.min(...deadlines);
  }

  unwatch(ledger: Ledger): void {
    this.ledgers.delete(ledger);
  }

  resume(): void {
    if (this.since !== undefined) return;
    this.since = this.clock.monotonic();
    this.setTimer();
  }

  pause(): void {
    if (this.since === undefined) return;
    this.before = this.total();
    this.since = undefined;
    this.setTimer();
  }

  /** Bounds hold from here on: a replay is not interrupted by the time it takes. */
  arm(): void {
    this.isArmed = true;
    this.setTimer();
  }

  /** One timer for whichever time bound comes first. */
  private setTimer(): void {
    if (!this.isArmed) return;
    const ms = Math.min(...[...this.ledgers].map((ledger) => this.left(ledger)));
    if (ms === Number.POSITIVE_INFINITY) return this.timers.clear('bound');
    this.timers.set('bound', ms, () => {
      for (const ledger of [...this.ledgers]) {
        const refusal = this.reached(ledger);
        if (refusal === undefined) continue;
        this.unwatch(ledger); // told once: the bound itself ends what is behind it
        this.onBound(refusal);
      }
      this.setTimer();
    });
  }

  private left({ limits: { wallMs, deadline }, activeFrom }: Ledger): number {
    const active = this.since === undefined ? Number.POSITIVE_INFINITY : wallMs - (this.total() - activeFrom);
    return Math.min(active, (deadline ?? Number.POSITIVE_INFINITY) - this.clock.now());
  }
}
