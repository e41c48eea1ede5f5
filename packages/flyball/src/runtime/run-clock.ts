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
