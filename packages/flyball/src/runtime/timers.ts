import type { Clock } from '../ports/clock.js';

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
