import type { Entry } from '../core/events.js';
import type { Progress } from './progress.js';

/** Tells each entry once and in order: those that a launch writes itself are read back, the others are published. */
export class Teller {
  private readonly progress: Progress;
  private readonly early: Entry[] = [];
  private told = -1;
  private caughtUp = false;

  constructor(progress: Progress) {
    this.progress = progress;
  }

  /** What happened before this process came. */
  skip(entries: readonly Entry[]): void {
    for (const entry of entries) {
      this.told = positionOf(entry);
      this.progress.known(entry);
    }
  }

  catchUp(entries: readonly Entry[]): void {
    this.caughtUp = true;
    this.tell(entries);
    this.tell(this.early);
  }

  tell(entries: readonly Entry[]): void {
    if (!this.caughtUp) {
      this.early.push(...entries);
      return;
    }
    for (const entry of entries) {
      if (positionOf(entry) <= this.told) continue;
      this.told = positionOf(entry);
      this.progress.happened(entry);
    }
  }

  stop(): void {
    this.progress.stop();
  }
}

function positionOf({ generation, seq }: Entry): number {
  return generation * 1e9 + seq;
}
