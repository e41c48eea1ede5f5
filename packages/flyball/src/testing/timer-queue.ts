interface Timer {
  readonly due: number;
  readonly keepAlive: boolean;
  readonly callback: () => void;
}

/** Timers of a clock that does not move by itself. Equal due times fire in the order in which they were set. */
export class TimerQueue {
  now: number;
  private readonly timers = new Set<Timer>();

  constructor(start: number) {
    this.now = start;
  }

  add(ms: number, callback: () => void, options: { readonly keepAlive?: boolean } = {}): () => void {
    const due = this.now + (ms > 0 ? ms : 0); // a wait that is over already, or not a number, is due at once
    const timer = { due, keepAlive: options.keepAlive ?? true, callback };
    this.timers.add(timer);
    return () => {
      this.timers.delete(timer);
    };
  }

  /** Fires the earliest timer that is due by `limit`, at its own time; false when there is none. */
  fireNext(limit: number): boolean {
    let next: Timer | undefined;
    // the set keeps the order of setting, so `<` leaves the first of equals in front
    for (const timer of this.timers) if (next === undefined || timer.due < next.due) next = timer;
    if (next === undefined || next.due > limit) return false;
    this.timers.delete(next);
    this.moveTo(next.due);
    next.callback();
    return true;
  }

  /** Never backwards: a callback may have moved time on already. */
  moveTo(time: number): void {
    this.now = Math.max(this.now, time);
  }

  dueTimes(): readonly number[] {
    return [...this.timers].map((timer) => timer.due).sort((a, b) => a - b);
  }

  holdsProcessOpen(): boolean {
    return [...this.timers].some((timer) => timer.keepAlive);
  }

  isEmpty(): boolean {
    return this.timers.size === 0;
  }
}
