import type { Budget } from '../core/budget.js';
import type { EventType } from '../core/events.js';
import type { LoadedEntry } from './loaded-entry.js';

/** A stretch of history under one budget. */
export interface Era {
  /** Place of its first entry among all entries. */
  readonly from: number;
  readonly at: number;
  readonly budget: Budget;
  /** A fork's own part begins: what was spent before is its parent's bill. */
  readonly fresh: boolean;
  /** It holds from this delivery on; -1 stands for the start of the code. */
  readonly delivery: number;
  /** Already for the code that the delivery moves, not only for what comes after it. */
  readonly inTurn: boolean;
}

/**
 * Which life a turn of the code belongs to. A delivery moves the code, and what it does then leaves traces: effects
 * that start, ends, notes. A turn that left none before its life ended is lived again by the next one, which may give
 * it another time and another budget: nothing in the journal depends on the old ones.
 */
export class Turns {
  private readonly isTrace: readonly boolean[];
  private readonly entries: readonly LoadedEntry[];
  private readonly places: readonly number[];

  constructor(entries: readonly LoadedEntry[], places: readonly number[], isVoid: (place: number) => boolean) {
    this.entries = entries;
    this.places = places;
    const delivered = new Set(places);
    this.isTrace = entries.map(({ event }, place) => {
      if (event.type === 'redirect') return false; // delivered, but it wakes no code and no code wrote it
      return delivered.has(place) || (LEAVES_TRACE[event.type] && !isVoid(place));
    });
  }

  /** What `now()` says in the turn of each delivery; undefined where the turn is that of the life about to begin. */
  times(): { readonly first: number | undefined; readonly each: readonly (number | undefined)[] } {
    const each: (number | undefined)[] = [];
    const indexOf = new Map(this.places.map((place, index) => [place, index]));
    let life: number | 'next' | undefined = 'next';
    const of = (at: number): number | undefined => (life === 'next' ? undefined : Math.max(at, life ?? at));
    for (let place = this.entries.length - 1; place >= 0; place--) {
      const entry = this.entries[place] as LoadedEntry;
      const index = indexOf.get(place);
      if (index !== undefined) each[index] = of(entry.at);
      if (this.isTrace[place]) life = undefined;
      else if (entry.event.type === 'attempt-start') life ??= entry.at;
    }
    return { first: of(this.entries[0]?.at ?? 0), each };
  }

  /** Where a budget that begins at this place begins to hold. */
  opening(from: number): Pick<Era, 'delivery' | 'inTurn'> {
    let place = from - 1;
    while (place >= 0 && !this.isTrace[place]) place--;
    if (place < 0) return { delivery: -1, inTurn: true };
    const index = this.places.indexOf(place);
    if (index >= 0) return { delivery: index, inTurn: true };
    const next = this.places.findIndex((known) => known >= from);
    return { delivery: next === -1 ? this.places.length : next, inTurn: false };
  }
}

/** Whether it shows the code at work: everything but what is written about the run, by others than a turn of its code. */
const LEAVES_TRACE: Readonly<Record<EventType, boolean>> = {
  'run-start': false,
  'generation-start': false,
  'generation-end': true,
  'attempt-start': false,
  'run-resume': false,
  'run-pause': false,
  'run-end': false,
  'ask-start': true,
  'ask-end': true,
  intent: true,
  'call-start': true,
  complete: true,
  abort: true,
  doubt: true,
  'spawn-start': true,
  'slice-change': false,
  'spawn-end': true,
  'wait-start': true,
  'wait-end': true,
  'wait-close': true,
  'sleep-start': true,
  'sleep-end': true,
  post: true,
  trip: true,
  cancel: true,
  redirect: true,
  stuck: true,
  note: true,
  'scope-start': true,
  'scope-end': true,
  best: true,
  changed: true,
  pin: true,
  'budget-warning': false,
  'scope-overlap': false,
  'guard-refused': true,
  'guard-decision': true,
  retry: true,
  'signal-refused': true,
  'operator-alert': true,
  'rollback-start': true,
  'rollback-end': true,
};
