import { isSagaStep, sagaEntry } from '../../core/acts.js';
import { type ByKind, byKind, nothingFor, rowsFor } from '../../core/by-kind.js';
import { CONTROLS, PATTERNS, ROLLBACKS, TELLING } from '../../core/event-kinds.js';
import type { EffectId, EndEvent, EventOf, Owner, SagaEntry, StartEvent } from '../../core/events.js';
import type { LoadedEntry } from '../loaded-entry.js';
import type { Placed } from './standing.js';

/** A start, and its place among all entries. */
export type Start = LoadedEntry & { readonly event: StartEvent | EventOf<'call-start'>; readonly place: number };

type End = LoadedEntry & { readonly event: EndEvent };

/** What became of the effects of a run. */
export interface EffectHistory {
  readonly starts: ReadonlyMap<EffectId, readonly Start[]>;
  readonly ends: ReadonlyMap<EffectId, End>;
  /** Calls of this run that a bound which no longer holds stopped after their bodies began, and that were not made again. */
  readonly stoppedCalls: ReadonlySet<EffectId>;
  /** The last INTENT of each effect of this run. */
  readonly intents: ReadonlyMap<EffectId, EventOf<'intent'>>;
  /** Who wrote the last INTENT of an effect. */
  readonly intentOwners: ReadonlyMap<EffectId, Owner>;
  /** Effects that were ever intended, inherited ones included. */
  readonly intended: ReadonlySet<EffectId>;
  /** Finished world-changing effects of this run and generation, oldest first. */
  readonly saga: readonly SagaEntry[];
}

class EffectFold implements EffectHistory {
  readonly starts = new Map<EffectId, Start[]>();
  readonly ends = new Map<EffectId, End>();
  readonly stoppedCalls = new Set<EffectId>();
  readonly intents = new Map<EffectId, EventOf<'intent'>>();
  readonly intentOwners = new Map<EffectId, Owner>();
  readonly intended = new Set<EffectId>();
  readonly saga: SagaEntry[] = [];
  /** The process whose entries these are. */
  owner: Owner | undefined;

  begin({ id }: Start['event'], { entry, place, standing }: Placed): void {
    if (standing === 'aside') return;
    this.stoppedCalls.delete(id);
    const start = { ...entry, place } as Start;
    const known = this.starts.get(id);
    if (known === undefined) this.starts.set(id, [start]);
    else known.push(start);
  }

  intend(event: EventOf<'intent'>, at: Placed): void {
    this.intended.add(event.id);
    if (this.owner !== undefined) this.intentOwners.set(event.id, this.owner);
    if (at.own) this.intents.set(event.id, event);
    this.begin(event, at);
  }

  end({ id }: EndEvent, { entry, standing }: Placed): void {
    if (standing === 'void-from-start') this.starts.delete(id);
    if (standing === 'delivered' || standing === 'kept') this.ends.set(id, entry as End);
  }

  complete(event: EventOf<'complete'>, at: Placed): void {
    const isKept = at.own && at.standing !== 'void';
    if (isKept && isSagaStep(this.intents.get(event.id), event)) this.saga.push(sagaEntry(event, at.entry.generation));
    this.end(event, at);
  }

  abort(event: EventOf<'abort'>, at: Placed): void {
    const isUndone = at.own && at.standing === 'void-from-start';
    if (isUndone && event.ran === true && this.intents.get(event.id)?.of === 'call') this.stoppedCalls.add(event.id);
    this.end(event, at);
  }
}

const ROWS: ByKind<[fold: EffectFold, at: Placed], void> = {
  ...rowsFor(
    ['ask-start', 'call-start', 'spawn-start', 'wait-start', 'sleep-start'],
    (event, fold: EffectFold, at: Placed) => fold.begin(event, at),
  ),
  ...rowsFor(['ask-end', 'spawn-end', 'wait-end', 'sleep-end', 'post'], (event, fold: EffectFold, at: Placed) =>
    fold.end(event, at),
  ),
  intent: (event, fold, at) => fold.intend(event, at),
  complete: (event, fold, at) => fold.complete(event, at),
  abort: (event, fold, at) => fold.abort(event, at),
  'attempt-start': ({ owner }, fold) => {
    fold.owner = owner;
  },
  ...nothingFor(
    ...CONTROLS,
    ...ROLLBACKS,
    ...PATTERNS,
    ...TELLING,
    'run-start',
    'generation-start',
    'generation-end',
    'run-resume',
    'run-pause',
    'run-end',
    'doubt',
    'slice-change',
    'wait-close',
    'note',
    'pin',
  ),
};

export function effectsIn(past: readonly Placed[]): EffectHistory {
  const fold = new EffectFold();
  for (const at of past) byKind(ROWS, at.entry.event, fold, at);
  return fold;
}
