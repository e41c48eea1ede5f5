import type { Refusal } from '../core/budget.js';
import type { Ledger } from '../core/ledger.js';
import type { Clock } from '../ports/clock.js';

/**
 * The time of one run in one process. The code, the journal and absolute deadlines see a date: it goes on as time
 * passes, follows the clock's date forward and never goes back, neither where somebody sets the clock back nor behind
 * what another process wrote. What lasts (sleeps, time limits of waits) is measured by the time that passes, whatever
 * the date does.
 */
export class RunClock implements Clock {
  private readonly clock: Clock;
  /** What `now` shows, less the monotonic reading. */
  private ahead: number;
  /** When, by the monotonic reading, the dates come that were set here and lie ahead. */
  private readonly dues = new Map<number, number>();

  /** `from`: the date of the last entry of the journal. */
  constructor(clock: Clock, from: number) {
    this.clock = clock;
    this.ahead = from - clock.monotonic();
  }

  now(): number {
    const passed = this.clock.monotonic();
    this.ahead = Math.max(this.ahead, this.clock.now() - passed);
    return passed + this.ahead;
  }

  monotonic(): number {
    return this.clock.monotonic();
  }

  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean }): () => void {
    return this.clock.after(ms, callback, options);
  }

  /** Another process may have gone on with the run meanwhile: its entries are not in the future. */
  catchUp(lastAt: number): void {
    this.ahead = Math.max(this.ahead, lastAt - this.clock.monotonic());
  }

  /** The date that comes after `ms`. This process will know when that is. */
  dueIn(ms: number): number {
    const passed = this.clock.monotonic();
    for (const [due, at] of this.dues) if (at <= passed) this.dues.delete(due); // it has come: its date says so too
    const due = this.now() + ms;
    this.dues.set(due, passed + ms);
    return due;
  }

  /** How long until then: by the time that has passed where the date was set here, else by the date. */
  msUntil(due: number): number {
    const at = this.dues.get(due);
    return at === undefined ? due - this.now() : at - this.clock.monotonic();
  }
}

/** Node's timers overflow past this and would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The timers of one life of a run, by name: setting one again replaces it, and none outlives the run's unloading. */
export class Timers {
  private readonly clock: Clock;
  private readonly cancels = new Map<string, () => void>();
  private isOver = false;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  has(name: string): boolean {
    return this.cancels.has(name);
  }

  set(name: string, ms: number, callback: () => void): void {
    this.clear(name);
    if (this.isOver) return;
    const reach = Math.min(Math.max(0, ms), MAX_TIMER_MS);
    const cancel = this.clock.after(reach, () => {
      this.cancels.delete(name);
      if (reach < ms) this.set(name, ms - reach, callback);
      else callback();
    });
    this.cancels.set(name, cancel);
  }

  clear(name: string): void {
    this.cancels.get(name)?.();
    this.cancels.delete(name);
  }

  /** For good: a life that has ended sets no timer any more. */
  clearAll(): void {
    this.isOver = true;
    for (const cancel of this.cancels.values()) cancel();
    this.cancels.clear();
  }
}

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
    const deadlines = [...this.ledgers].flatMap((ledger) => ledger.timeLimit('deadline') ?? []);
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

  /** Until a bound that `reached` would name: a timer for any other would be over at once, again and again. */
  private left(ledger: Ledger): number {
    const deadline = ledger.timeLimit('deadline') ?? Number.POSITIVE_INFINITY;
    const isAtWork = this.since !== undefined;
    const active = isAtWork
      ? ledger.timeLimit('wallMs') - (this.total() - ledger.activeFrom)
      : Number.POSITIVE_INFINITY;
    return Math.min(active, deadline - this.clock.now());
  }
}
