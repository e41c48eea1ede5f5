import type { Clock } from '../ports/clock.js';
import { RunClock } from './run-clock.js';

/** A run that was unloaded here until a time. */
export interface Sleeper {
  readonly runId: string;
  readonly wakeAt: number;
  /** When that is, by the monotonic reading. */
  readonly at: number;
}

/**
 * The clocks of the runs that live in this process, and of those that it unloaded until a time: it wakes them when that
 * much time has passed, also where the date was set meanwhile. What another process unloaded is due by the date.
 */
export class RunClocks {
  private readonly clock: Clock;
  private readonly clocks = new Map<string, RunClock>();
  private readonly asleep = new Map<string, Sleeper>();
  /** Earliest first. Those that are not in `asleep` any more are skipped. */
  private line: Sleeper[] = [];
  /** How far the date was ahead of the monotonic reading when it was least so: see `early`. */
  private leastAhead = Number.POSITIVE_INFINITY;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** The clock of a run that is about to live here, whose journal reaches until `lastAt`. */
  of(runId: string, lastAt: number): RunClock {
    const clock = this.clocks.get(runId) ?? new RunClock(this.clock, lastAt);
    clock.catchUp(lastAt);
    this.clocks.set(runId, clock);
    this.asleep.delete(runId);
    return clock;
  }

  /** Whether this date of a run has come. */
  hasCome(runId: string, due: number): boolean {
    return (this.clocks.get(runId)?.msUntil(due) ?? due - this.clock.now()) <= 0;
  }

  /** The run is not here any more. What may be said of its time is what the journal and the date say. */
  forget(runId: string): void {
    this.clocks.delete(runId);
    this.asleep.delete(runId);
  }

  /** It was unloaded until then. */
  sleeps(runId: string, wakeAt: number): void {
    const clock = this.clocks.get(runId);
    if (clock === undefined) return;
    const sleeper = { runId, wakeAt, at: this.clock.monotonic() + clock.msUntil(wakeAt) };
    this.asleep.set(runId, sleeper);
    this.leastAhead = Math.min(this.leastAhead, sleeper.wakeAt - sleeper.at);
    this.line.splice(this.placeAfter(sleeper.at), 0, sleeper);
    // runs that are woken early leave their places behind: without this a long time limit would keep them all
    if (this.line.length > 2 * this.asleep.size + 64) this.line = this.line.filter((one) => this.isAsleep(one));
  }

  /** Those that sleep here and whose time has not come, though the date says so: it was set forward. */
  early(): readonly string[] {
    const now = this.clock.now();
    const monotonic = this.clock.monotonic();
    if (now - monotonic <= this.leastAhead) return [];
    const later = this.line.slice(this.placeAfter(monotonic));
    return later.filter((one) => one.wakeAt <= now && this.isAsleep(one)).map(({ runId }) => runId);
  }

  /** How long it still sleeps here. Somebody else may have gone on with it, and unloaded it until another date. */
  msLeft({ id, wakeAt }: { readonly id: string; readonly wakeAt?: number }): number | undefined {
    const sleeper = this.asleep.get(id);
    if (sleeper === undefined) return undefined;
    if (sleeper.wakeAt === wakeAt) return Math.max(0, sleeper.at - this.clock.monotonic());
    this.forget(id);
    return undefined;
  }

  /** Those whose time has come. They stay until they live again, or are forgotten. */
  due(): readonly Sleeper[] {
    return this.line.slice(0, this.placeAfter(this.clock.monotonic())).filter((one) => this.isAsleep(one));
  }

  /** How long until the next one is due that is not so yet. */
  msToNext(): number {
    const now = this.clock.monotonic();
    for (let place = this.placeAfter(now); place < this.line.length; place++) {
      const next = this.line[place];
      if (next !== undefined && this.isAsleep(next)) return next.at - now;
    }
    return Number.POSITIVE_INFINITY;
  }

  private isAsleep(sleeper: Sleeper): boolean {
    return this.asleep.get(sleeper.runId) === sleeper;
  }

  /** Behind all that are due by then. */
  private placeAfter(at: number): number {
    let [from, to] = [0, this.line.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.line[middle]?.at ?? 0) <= at) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}
