import { comparePositions, type Position } from './position.js';
import type { EntryItem } from './run-feed.js';

export interface RingLimits {
  readonly items: number;
  readonly bytes: number;
  /** Of all rings together. */
  readonly allBytes: number;
}

/** Bytes that all rings hold together. */
export interface RingTotal {
  bytes: number;
}

/**
 * The latest entries of a run that somebody watches, without gaps: readers that keep up are served from here, and only
 * those that are behind read the journal.
 */
export class EntryRing {
  private items: EntryItem[] = [];
  private bytes = 0;
  /** Readers at this position or after it find all that follows. */
  private from: Position | undefined;
  private readonly limits: RingLimits;
  private readonly total: RingTotal;

  constructor(limits: RingLimits, total: RingTotal) {
    this.limits = limits;
    this.total = total;
  }

  /** Items follow on what the ring holds: whoever pushes sees to that, and empties it where they do not. */
  push(items: readonly EntryItem[]): void {
    for (const item of items) {
      if (this.items.length === 0) this.from = before(item.position);
      this.items.push(item);
      this.count(item.text.length);
    }
    const { items: most, bytes, allBytes } = this.limits;
    let dropped = 0;
    while (
      dropped < this.items.length &&
      (this.items.length - dropped > most || this.bytes > bytes || this.total.bytes > allBytes)
    ) {
      const gone = this.items[dropped++];
      if (gone === undefined) break;
      this.count(-gone.text.length);
      this.from = gone.position;
    }
    if (dropped > 0) this.items.splice(0, dropped);
  }

  /** What follows on a position, at most `limit` of it; undefined when the ring does not reach back that far. */
  after(position: Position | undefined, limit: number): readonly EntryItem[] | undefined {
    if (this.from === undefined || position === undefined || comparePositions(position, this.from) < 0)
      return undefined;
    const first = this.indexAfter(position);
    return this.items.slice(first, first + limit);
  }

  clear(): void {
    this.count(-this.bytes);
    this.items = [];
    this.from = undefined;
  }

  private count(bytes: number): void {
    this.bytes += bytes;
    this.total.bytes += bytes;
  }

  private indexAfter(position: Position): number {
    let low = 0;
    let high = this.items.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const item = this.items[middle];
      if (item !== undefined && comparePositions(item.position, position) > 0) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Where a reader stands that has everything before this one. How long the generation before was is not known here. */
function before({ generation, seq }: Position): Position {
  return seq > 0 ? { generation, seq: seq - 1 } : { generation: generation - 1, seq: Number.POSITIVE_INFINITY };
}
