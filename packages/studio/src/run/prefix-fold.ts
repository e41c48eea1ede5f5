import type { Entry } from '../../../flyball/src/core/events.js';

interface Folding {
  apply(entry: Entry): unknown;
}

/**
 * A fold that follows a growing journal: entries it has seen are not read again. When the slider goes back it starts
 * anew, because a fold cannot take an entry back.
 */
export class PrefixFold<F extends Folding, V> {
  private readonly make: () => F;
  private readonly read: (fold: F) => V;
  private fold: F;
  private seen = 0;
  private last: Entry | undefined;

  constructor(make: () => F, read: (fold: F) => V) {
    this.make = make;
    this.read = read;
    this.fold = make();
  }

  of(entries: readonly Entry[]): V {
    // shorter, or another journal
    if (this.seen > 0 && entries[this.seen - 1] !== this.last) this.restart();
    for (let index = this.seen; index < entries.length; index++) {
      const entry = entries[index];
      if (entry !== undefined) this.fold.apply(entry);
      this.last = entry;
    }
    this.seen = entries.length;
    return this.read(this.fold);
  }

  private restart(): void {
    this.fold = this.make();
    this.seen = 0;
    this.last = undefined;
  }
}
