import type { EventOf, RunEvent } from '../core/events.js';

/**
 * Pure calls at work that the journal does not know of yet. Nothing is written about one that ends before anything else
 * happens. What else is written could be what cuts it off, so it comes after the call's start: then whoever reads the one
 * knows of the other, also where the process dies in between.
 */
export class CallsUnderWay {
  private readonly unknown = new Map<string, EventOf<'call-start'>>();

  begin(start: EventOf<'call-start'>): void {
    this.unknown.set(start.id, start);
  }

  /** What has to be written before this; all of it where nothing is given. */
  before(event?: RunEvent): readonly EventOf<'call-start'>[] {
    if (event?.type === 'complete' || event?.type === 'abort') this.unknown.delete(event.id);
    if (this.unknown.size === 0) return NONE;
    const starts = [...this.unknown.values()];
    this.unknown.clear();
    return starts;
  }
}

const NONE: readonly EventOf<'call-start'>[] = [];
