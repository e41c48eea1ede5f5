import { inTurns } from 'flyball/internal';
import type { WatchedRun } from './watched-run.js';

const TICK_MS = 250;
const SOON_MS = 500;
const LATEST_MS = 3_000;
/** A run that is heard here is driven here: another process may take it over later, but not within this. */
const QUIET_MS = 5_000;
/** Looks in one go. */
const MOST_LOOKS = 64;
/** Looks side by side: enough that a go is short, few enough that requests find a connection to the database. */
const SIDE_BY_SIDE = 4;

/**
 * Looks after watched runs that other processes may write to: often while they do, seldom while nothing happens. One
 * look for all readers of a run. Tenants take turns: whoever watches thousands of runs waits longer for each of them, and
 * nobody else does.
 */
export class ForeignWriters {
  private readonly watched: ReadonlyMap<string, WatchedRun>;
  private readonly clock: {
    readonly monotonic: () => number;
    readonly after: (ms: number, go: () => void) => () => void;
  };
  /** Reads on in the journal; answers whether there was anything. */
  private readonly look: (run: WatchedRun) => Promise<boolean>;
  private stopTick: (() => void) | undefined;
  private closed = false;
  /** The tenant whose turn was last. */
  private last: string | undefined;

  constructor(
    watched: ReadonlyMap<string, WatchedRun>,
    clock: ForeignWriters['clock'],
    look: (run: WatchedRun) => Promise<boolean>,
  ) {
    this.watched = watched;
    this.clock = clock;
    this.look = look;
  }

  /** A run is watched from now on. */
  begin({ poll }: WatchedRun): void {
    poll.every = SOON_MS;
    poll.at = this.clock.monotonic() + SOON_MS;
    this.schedule();
  }

  /** It is driven here. */
  heard({ poll }: WatchedRun): void {
    poll.every = SOON_MS;
    poll.at = this.clock.monotonic() + QUIET_MS;
  }

  /** Nobody here drives it: whoever does so next may be another process. */
  rests({ poll }: WatchedRun): void {
    poll.at = Math.min(poll.at, this.clock.monotonic() + SOON_MS);
  }

  close(): void {
    this.closed = true;
    this.stopTick?.();
  }

  private schedule(): void {
    if (this.closed || this.stopTick !== undefined || this.watched.size === 0) return;
    this.stopTick = this.clock.after(TICK_MS, () => {
      this.tick()
        .catch(() => undefined) // each look has told of its own problem
        .finally(() => {
          this.stopTick = undefined;
          this.schedule();
        });
    });
  }

  private async tick(): Promise<void> {
    const now = this.clock.monotonic();
    const due = [...this.watched.values()].filter(({ poll, ended }) => ended === undefined && poll.at <= now);
    due.sort((a, b) => a.poll.at - b.poll.at);
    const turns = inTurns(due, tenantOf, { limit: MOST_LOOKS, after: this.last });
    const lastRun = turns.at(-1);
    if (lastRun !== undefined) this.last = tenantOf(lastRun);
    const line = turns.values(); // one for all that look
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, () => this.lookAtEach(line)));
  }

  private async lookAtEach(line: Iterable<WatchedRun>): Promise<void> {
    for (const run of line) {
      const found = await this.look(run);
      run.poll.every = found ? SOON_MS : Math.min(LATEST_MS, run.poll.every * 1.5);
      run.poll.at = this.clock.monotonic() + run.poll.every;
    }
  }
}

/** Until its first reader has its card, whose it is is not known here. */
function tenantOf({ card }: WatchedRun): string {
  return card?.tenant ?? '';
}
