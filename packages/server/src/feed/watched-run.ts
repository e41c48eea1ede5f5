import type { RunCard } from '../contract/resources.js';
import { DeltaBoard } from './delta-board.js';
import { EntryRing, type RingLimits, type RingTotal } from './entry-ring.js';
import type { EntryItem } from './run-feed.js';

/** A run that somebody reads: what its readers share. */
export class WatchedRun {
  readonly runId: string;
  readonly ring: EntryRing;
  /** Pages just read, for readers that are behind together. */
  readonly pages = new Map<string, Promise<readonly EntryItem[]>>();
  readonly deltas: DeltaBoard;
  readers = 0;
  /** Set once the journal holds its end. */
  ended: string | undefined;
  card: RunCard | undefined;
  private cardText = '';
  /** Counts changes of the card. */
  cardVersion = 0;
  /** When to look whether another process has written something, and how long to leave it after that. */
  readonly poll = { at: 0, every: 0 };
  /** Counts everything that a reader could want to know. */
  version = 0;
  private waiting: (() => void)[] = [];

  constructor(runId: string, limits: RingLimits, total: RingTotal, known: readonly string[]) {
    this.runId = runId;
    this.ring = new EntryRing(limits, total);
    this.deltas = new DeltaBoard(known);
  }

  /** Something new is there. */
  wake(): void {
    this.version++;
    for (const go of this.waiting.splice(0)) go();
  }

  /** Resolves when there is something newer than `version`. Whoever stops waiting wakes the others for nothing. */
  changed(version: number): Promise<void> {
    if (this.version !== version) return Promise.resolve();
    return new Promise((resolve) => this.waiting.push(resolve));
  }

  /** What was kept may show too much by now, or does not go on without a gap. */
  forgetEntries(): void {
    this.ring.clear();
    this.pages.clear();
  }

  /** Nothing happens for a card that says the same as before. */
  show(card: RunCard): void {
    const text = JSON.stringify(card);
    if (text === this.cardText) return;
    this.card = card;
    this.cardText = text;
    this.cardVersion++;
    this.wake();
  }
}
