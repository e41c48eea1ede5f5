import type { Entry } from '../core/events.js';
import { Privacy } from '../views/privacy.js';
import { withoutPrivate } from '../views/without-private.js';

/** The entries of a run as they may be shown while they come: what is marked as private is blanked from its mark on. */
export class Discretion {
  private readonly entries: Entry[] = [];
  private isMarked = false;

  /** The entry as it may be shown. Entries come in order, those from before this process too. */
  shown(entry: Entry): Entry {
    this.entries.push(entry);
    this.isMarked ||= !new Privacy([entry]).isEmpty;
    // only a journal that holds a mark pays for looking at the whole of it
    return this.isMarked ? (withoutPrivate(this.entries).at(-1) ?? entry) : entry;
  }

  /** Whether pieces of a reply that is still coming have to stay unseen. */
  hides(effect: string): boolean {
    if (!this.isMarked) return false;
    return new Privacy(this.entries).hidesEffect(this.entries.at(-1)?.generation ?? 0, effect);
  }
}
