import { type ByKind, byKind, rowsFor } from '../core/by-kind.js';
import { ACTS, ASKS, CHILDREN, LIFE, ROLLBACKS, WAITS } from '../core/event-kinds.js';
import type { Entry, EventType } from '../core/events.js';
import { EffectFold } from './effects.js';
import { pathOf, pathsAround, scopeOf } from './paths.js';
import type { Sentence } from './sentence.js';
import { sentenceFor } from './timeline-sentences.js';

/** One line of a run's story, as data: a terminal decides about color and width. */
export interface TimelineLine extends Sentence {
  /** Since the first entry. */
  readonly offsetMs: number;
  /** How deep its scope is nested. */
  readonly depth: number;
  readonly kind: EventType;
  readonly generation: number;
  readonly seq: number;
}

/** Computes the timeline entry by entry, while the run is active. */
export class TimelineFold {
  private readonly effects = new EffectFold();
  private startedAt: number | undefined;

  /** The line for the next entry; undefined for one that is of no interest to a reader. */
  apply(entry: Entry): TimelineLine | undefined {
    this.startedAt ??= entry.at;
    const effect = this.effects.apply(entry);
    const sentence = sentenceFor(entry.event, effect);
    if (sentence === undefined) return undefined;
    const { generation, seq, at, event } = entry;
    return { offsetMs: at - this.startedAt, depth: depthOf(entry), kind: event.type, generation, seq, ...sentence };
  }
}

/** The timeline of a run, one line per event. A question is shown together with its answer. */
export function timelineOf(entries: readonly Entry[]): readonly TimelineLine[] {
  const fold = new TimelineFold();
  const asks = fateOfAsks(entries);
  return entries.flatMap((entry) => {
    const line = fold.apply(entry);
    if (line === undefined || asks.get(entry) === 'answered') return [];
    if (asks.get(entry) === 'lost')
      return [{ ...line, text: `${line.text}: no answer arrived, so it may have been paid for` }];
    return [line];
  });
}

function fateOfAsks(entries: readonly Entry[]): ReadonlyMap<Entry, 'answered' | 'lost'> {
  const open = new Map<string, Entry>();
  const fate = new Map<Entry, 'answered' | 'lost'>();
  for (const entry of entries) {
    const { event, generation } = entry;
    if (event.type !== 'ask-start' && event.type !== 'ask-end') continue;
    const key = `${generation} ${event.id}`;
    const before = open.get(key);
    if (before !== undefined) fate.set(before, event.type === 'ask-end' ? 'answered' : 'lost');
    if (event.type === 'ask-start') open.set(key, entry);
    else open.delete(key);
  }
  return fate;
}

function depthOf({ event }: Entry): number {
  return byKind(PLACES, event).split('/').length - 1;
}

/** The scope that an entry is told in. Where a pattern begins and ends is told around it, as with a child. */
const PLACES: ByKind<[], string> = {
  ...rowsFor([...ASKS, ...ACTS, ...CHILDREN, ...WAITS], ({ id }) => scopeOf(id)),
  ...rowsFor(['post', 'guard-refused', 'guard-decision', 'retry'], ({ id }) => scopeOf(id)),
  ...rowsFor(['scope-start', 'scope-end'], ({ path }) => pathsAround(path)[1] ?? ''),
  ...rowsFor(['note', 'best', 'scope-overlap'], ({ path }) => pathOf(path)),
  ...rowsFor(['trip', 'budget-warning'], ({ node }) => pathOf(node)),
  ...rowsFor(ROLLBACKS, ({ scope }) => pathOf(scope)),
  // about the run as a whole
  ...rowsFor([...LIFE, 'cancel', 'redirect', 'stuck'], () => ''),
  ...rowsFor(['changed', 'pin', 'signal-refused', 'operator-alert'], () => ''),
};
