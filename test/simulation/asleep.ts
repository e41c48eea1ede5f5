import type { Told } from './known.js';

/** How long after its time a sleeper may still sleep: a request that was lost is sent again after 5 s, and so is a look. */
const LATE_MS = 20_000;

interface Asleep {
  readonly by: string;
  /** When its time is over, by the time that passes. */
  readonly until: number;
}

/** The dates that a run set, and when they come by the time that passes for the process that set them. */
export class Sleep {
  private readonly dues = new Map<number, Asleep>();
  private asleep: Asleep | undefined;
  /** The date of its last entry. */
  private lastAt = 0;

  wrote(
    { type, due }: Told,
    { at, by, now }: { readonly at: number; readonly by: string; readonly now: number },
  ): void {
    this.lastAt = at;
    if (due === undefined || (type !== 'sleep-start' && type !== 'wait-start')) return;
    this.dues.set(due, { by, until: now + due - at });
  }

  /**
   * It was unloaded until then. Of a date that another process set, this one knows no more than that; a process that lost
   * the run for a while, and forgot it, goes on from the last entry.
   */
  rests(by: string, wakeAt: number | undefined, now: number): void {
    const known = wakeAt === undefined ? undefined : this.dues.get(wakeAt);
    if (wakeAt === undefined || known?.by !== by) this.asleep = undefined;
    else this.asleep = { by, until: Math.max(known.until, now + wakeAt - this.lastAt) };
  }

  wakes(): void {
    this.asleep = undefined;
  }

  /** Who should have woken it by now. `isFine`: nothing has kept this process from it. */
  overslept(now: number, isFine: (by: string) => boolean): Asleep | undefined {
    if (this.asleep === undefined) return undefined;
    if (!isFine(this.asleep.by)) this.asleep = undefined;
    return this.asleep !== undefined && now > this.asleep.until + LATE_MS ? this.asleep : undefined;
  }
}
