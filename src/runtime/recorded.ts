import type { Budget } from '../core/budget.js';
import { type Failure, FlyballError } from '../core/errors.js';
import type { EffectId, EndEvent, Entry, EventOf, Owner, RunEvent, SagaEntry, StartEvent } from '../core/events.js';
import type { RunState } from '../core/run-state.js';
import { StateFold, stateAtStart } from './state-fold.js';

/** An entry as loaded. `inherited`: the run that it belongs to, where this one was forked from that. */
export type LoadedEntry = Entry & { readonly inherited?: string };

/** A stretch of history under one budget. */
export interface Era {
  /** Place of its first entry among all entries. */
  readonly from: number;
  readonly budget: Budget;
  /** A fork's own part begins: what was spent before is its parent's bill. */
  readonly fresh: boolean;
}

/** What a journal says about a run that is about to go on, indexed for replay. */
export interface Recorded {
  readonly input: unknown;
  readonly budget: Budget;
  /** The budgets it ran under, in order: each part of its past is judged by the one of its time. */
  readonly budgets: readonly Era[];
  readonly first: LoadedEntry;
  /** When the code was first started: a fork's prefix began with its parent. */
  readonly startedAt: number;
  /** Completions, trips and cancellation, in the order in which the code gets them. */
  readonly deliveries: readonly LoadedEntry[];
  /** For each delivery, its place among all entries. */
  readonly places: readonly number[];
  readonly starts: ReadonlyMap<EffectId, readonly (LoadedEntry & { readonly event: StartEvent })[]>;
  readonly ends: ReadonlyMap<EffectId, LoadedEntry & { readonly event: EndEvent }>;
  /** Doubts that a person was asked about, one for each INTENT. */
  readonly doubts: ReadonlySet<EffectId>;
  /** Scopes whose rollback has ended, and those where one began. */
  readonly rollbacks: ReadonlySet<string>;
  /** Effects that such a rollback has dealt with: those that it reports as in doubt are not. */
  readonly undone: ReadonlySet<EffectId>;
  readonly rollbackStarts: ReadonlySet<string>;
  readonly changedIds: ReadonlySet<string>;
  /** `node axis` of the warnings given. */
  readonly warned: ReadonlySet<string>;
  readonly notes: number;
  readonly overlaps: ReadonlySet<string>;
  readonly attempts: number;
  readonly nextSeq: number;
  readonly lastAt: number;
  readonly activeMs: number;
  /** Finished world-changing effects of this run and generation, oldest first. */
  readonly saga: readonly SagaEntry[];
  readonly intents: ReadonlyMap<EffectId, EventOf<'intent'>>;
  /** Who wrote the last INTENT of an effect. */
  readonly intentOwners: ReadonlyMap<EffectId, Owner>;
  /** Effects that were ever intended, inherited ones included. */
  readonly intended: ReadonlySet<EffectId>;
  /** What the run knew about itself when its code began: a fork's began with its parent. */
  readonly before: RunState;
  /** What it knows by now. The life that goes on from here carries it on. */
  readonly state: StateFold;
  /** The last word about it is a pause. */
  readonly isPaused: boolean;
  /** The run's end, unless it was let go on after it. */
  readonly end: EventOf<'run-end'> | undefined;
}

/**
 * Indexes a journal. A finished child's own entries are left out unless `deep`: its outcome answers for it.
 * Trips of the whole run, and effects that they stopped, are void once it was let go on under a larger budget.
 */
export function indexJournal(entries: readonly LoadedEntry[], mode: { readonly deep: boolean }): Recorded {
  const first = entries.find((entry) => entry.inherited === undefined && isFirst(entry.event));
  if (first === undefined || !isFirst(first.event)) {
    throw new FlyballError('JOURNAL_CORRUPT', 'The journal does not begin with the start of a run or of a generation.');
  }
  const finished = mode.deep ? new Set<string>() : finishedChildren(entries);
  const enlargedAt = lastEnlargement(entries);
  const isVoid = (entry: LoadedEntry): boolean => entry.inherited !== undefined || entry.seq < enlargedAt;
  const deliveries: LoadedEntry[] = [];
  const starts = new Map<EffectId, (LoadedEntry & { readonly event: StartEvent })[]>();
  const ends = new Map<EffectId, LoadedEntry & { readonly event: EndEvent }>();
  const doubts = new Set<EffectId>();
  const rollbacks = new Set<string>();
  const undone = new Set<EffectId>();
  const rollbackStarts = new Set<string>();
  const changedIds = new Set<string>();
  const overlaps = new Set<string>();
  const warned = new Set<string>();
  const intents = new Map<EffectId, EventOf<'intent'>>();
  const intended = new Set<EffectId>();
  const intentOwners = new Map<EffectId, Owner>();
  let owner: Owner | undefined;
  const head = entries[0]?.event;
  const before = stateAtStart(head !== undefined && isFirst(head) ? head : first.event);
  const state = new StateFold(before);
  const saga: SagaEntry[] = [];
  const budgets: Era[] = [];
  const places: number[] = [];
  let end: EventOf<'run-end'> | undefined;
  let notes = 0;
  let isPastVoidTrip = false;
  let isPaused = false;
  let attempts = 0;

  for (const [place, entry] of entries.entries()) {
    const { event } = entry;
    const own = entry.inherited === undefined;
    state.observe(event);
    const deliver = (): void => {
      deliveries.push(entry);
      places.push(place);
    };
    switch (event.type) {
      case 'ask-start':
      case 'intent':
      case 'spawn-start':
      case 'wait-start':
      case 'sleep-start': {
        if (event.type === 'intent') {
          intended.add(event.id);
          if (owner !== undefined) intentOwners.set(event.id, owner);
        }
        if (event.type === 'intent' && own) intents.set(event.id, event);
        if (isUnderAny(event.id, finished)) break;
        const list = starts.get(event.id);
        if (list === undefined) starts.set(event.id, [entry as LoadedEntry & { readonly event: StartEvent }]);
        else list.push(entry as LoadedEntry & { readonly event: StartEvent });
        break;
      }
      case 'ask-end':
      case 'complete':
      case 'abort':
      case 'spawn-end':
      case 'wait-end':
      case 'sleep-end':
        if (event.type === 'abort' && isBoundOfRun(event.failure) && isVoid(entry)) {
          starts.delete(event.id); // stopped by a bound that no longer holds, before it took place
          break;
        }
        if (event.type === 'complete' && own && isSagaStep(intents.get(event.id), event)) {
          saga.push(sagaEntry(event, entry.generation));
        }
        if (isUnderAny(event.id, finished)) break;
        ends.set(event.id, entry as LoadedEntry & { readonly event: EndEvent });
        if (!event.id.endsWith('!undo')) deliver();
        break;
      case 'trip':
        if (event.node === '' && isVoid(entry)) {
          isPastVoidTrip = true;
          break;
        }
        if (!isUnderAny(event.node, finished) && !finished.has(event.node)) deliver();
        break;
      case 'cancel':
        if (own) deliver();
        break;
      case 'stuck':
        // on its way out of a bound that no longer holds, the code waited for something it will not come to now
        if (own && !isPastVoidTrip) deliver();
        break;
      case 'redirect':
        deliver(); // a fork's past was told the same
        break;
      case 'rollback-end':
        rollbacks.add(event.scope);
        for (const effect of dealtWith(event)) undone.add(effect);
        if (event.scope !== '' && !isUnderAny(event.scope, finished)) deliver();
        break;
      case 'rollback-start':
        if (own) rollbackStarts.add(event.scope); // a fork announces its own
        break;
      case 'doubt':
        doubts.add(`${event.id}!doubt${event.attempt}`);
        break;
      case 'changed':
        changedIds.add(event.id);
        break;
      case 'note':
        // what the code told on its way out of a bound that no longer holds is not told again
        if (!isUnderAny(`${event.path}#`, finished) && !isPastVoidTrip) notes++;
        break;
      case 'budget-warning':
        warned.add(`${event.node} ${event.axis}`);
        break;
      case 'scope-overlap':
        overlaps.add(event.path);
        break;
      case 'attempt-start':
        if (own) attempts++;
        owner = event.owner;
        break;
      case 'run-start':
      case 'generation-start':
        budgets.push({ from: place, budget: event.budget, fresh: own && place > 0 });
        break;
      case 'run-resume':
        if (event.budget !== undefined) budgets.push({ from: place, budget: event.budget, fresh: false });
        if (own) end = undefined;
        if (own) isPaused = false;
        isPastVoidTrip = false;
        break;
      case 'run-pause':
        if (own) isPaused = true;
        break;
      case 'run-end':
        if (own) end = event;
        break;
      default:
        break; // informational entries do not take part in replay
    }
  }
  const last = entries.at(-1) ?? first;
  const lastOwn = entries.findLast((entry) => entry.inherited === undefined) ?? first;
  return {
    input: first.event.input,
    budget: budgets.at(-1)?.budget ?? first.event.budget,
    budgets,
    places,
    first,
    startedAt: entries[0]?.at ?? first.at,
    deliveries,
    starts,
    ends,
    doubts,
    rollbacks,
    undone,
    rollbackStarts,
    changedIds,
    warned,
    notes,
    overlaps,
    attempts,
    nextSeq: lastOwn.seq + 1,
    lastAt: last.at,
    activeMs: lastOwn.activeMs,
    saga,
    intents,
    intentOwners,
    intended,
    before,
    state,
    isPaused,
    end,
  };
}

/** A completed effect that changed the world and is not itself an undo. */
export function isSagaStep(intent: EventOf<'intent'> | undefined, end: EventOf<'complete'>): boolean {
  return intent !== undefined && intent.of !== 'undo' && end.how !== 'simulated';
}

export function sagaEntry({ id, how }: EventOf<'complete'>, generation: number): SagaEntry {
  return { effect: id, generation, ...(how === 'unknown' ? { unknown: true as const } : {}) };
}

/** What is in doubt when a branch is rolled back may turn out to have happened: then it is still to be undone. */
export function dealtWith({ scope, report }: EventOf<'rollback-end'>): readonly EffectId[] {
  if (scope === '') return [];
  return report.entries.flatMap(({ effect, status }) => (status === 'IN_DOUBT' ? [] : [effect]));
}

/** `/a` holds `/a#1` and `/a/b#1`, but not `/ab#1`. The root holds everything. */
export function isUnder(idOrPath: string, path: string): boolean {
  if (path === '') return true;
  if (!idOrPath.startsWith(path)) return false;
  const next = idOrPath[path.length];
  return next === undefined || next === '/' || next === '#';
}

function isUnderAny(idOrPath: string, paths: ReadonlySet<string>): boolean {
  if (paths.size === 0) return false;
  let end = idOrPath.indexOf('#');
  if (end === -1) end = idOrPath.lastIndexOf('/'); // a scope's own path: only its ancestors hold it
  while (end > 0) {
    if (paths.has(idOrPath.slice(0, end))) return true;
    end = idOrPath.lastIndexOf('/', end - 1);
  }
  return false;
}

function isFirst(event: RunEvent): event is EventOf<'run-start' | 'generation-start'> {
  return event.type === 'run-start' || event.type === 'generation-start';
}

function isBoundOfRun(failure: Failure): boolean {
  return failure.code === 'BOUND_REACHED' && (failure.detail as { readonly node?: unknown } | undefined)?.node === '';
}

function finishedChildren(entries: readonly LoadedEntry[]): Set<string> {
  const paths = new Map<EffectId, string>();
  const finished = new Set<string>();
  for (const { event } of entries) {
    if (event.type === 'spawn-start') paths.set(event.id, event.path);
    else if (event.type === 'spawn-end') {
      const path = paths.get(event.id);
      if (path !== undefined) finished.add(path);
    }
  }
  return finished;
}

function lastEnlargement(entries: readonly LoadedEntry[]): number {
  const found = entries.findLast(
    (entry) => entry.inherited === undefined && entry.event.type === 'run-resume' && entry.event.budget !== undefined,
  );
  return found?.seq ?? -1;
}
