import { ActsFold } from '../core/acts.js';
import { type Budget, completed } from '../core/budget.js';
import { type Failure, FlyballError } from '../core/errors.js';
import type { EffectId, EndEvent, EventOf, Owner, RunEvent, SagaEntry, StartEvent } from '../core/events.js';
import type { RunState } from '../core/run-state.js';
import { waitChange } from '../core/waits.js';
import { LiftedBounds } from './lifted-bounds.js';
import type { LoadedEntry } from './loaded-entry.js';
import { StateFold, stateAtStart } from './state-fold.js';
import { type Era, Turns } from './turns.js';
import { scopeOf } from './went-on.js';

/** A start, and its place among all entries. */
export type Start = LoadedEntry & { readonly event: StartEvent | EventOf<'call-start'>; readonly place: number };

/** What a journal says about a run that is about to go on, indexed for replay. */
export interface Recorded {
  readonly input: unknown;
  readonly budget: Budget;
  /** The budgets it ran under, in order: each part of its past is judged by the one of its time. */
  readonly budgets: readonly Era[];
  /** Parts of a later budget that children got which were open when it began. */
  readonly slices: ReadonlyMap<EffectId, readonly { readonly place: number; readonly limits: Budget }[]>;
  /** Children that began late: how many deliveries came before that, and when the process began that came to them. */
  readonly late: ReadonlyMap<EffectId, { readonly after: number; readonly lifeAt: number }>;
  /** Children that a later budget let go on, by path, and where that budget begins. */
  readonly lifts: ReadonlyMap<string, number>;
  readonly first: LoadedEntry;
  /** What `now()` says when the code starts, and in the turn of each delivery. Undefined: the time of the life about to begin. */
  readonly times: { readonly first: number | undefined; readonly each: readonly (number | undefined)[] };
  /** Completions, trips and cancellation, in the order in which the code gets them. */
  readonly deliveries: readonly LoadedEntry[];
  readonly starts: ReadonlyMap<EffectId, readonly Start[]>;
  readonly ends: ReadonlyMap<EffectId, LoadedEntry & { readonly event: EndEvent }>;
  /** Calls of this run that a bound which no longer holds stopped after their bodies began, and that were not made again. */
  readonly stoppedCalls: ReadonlySet<EffectId>;
  /** Waits that were opened and neither ended nor closed since. */
  readonly openWaits: ReadonlySet<EffectId>;
  /** Doubts that a person was asked about, one for each INTENT. */
  readonly doubts: ReadonlySet<EffectId>;
  /** Scopes whose rollback has ended, and those where one began. */
  readonly rollbacks: ReadonlySet<string>;
  /** Effects that such a rollback has dealt with: those that it reports as in doubt are not. */
  readonly undone: ReadonlySet<EffectId>;
  readonly rollbackStarts: ReadonlySet<string>;
  readonly changedIds: ReadonlySet<string>;
  /** `era node axis` of the warnings given: a warning is about a limit, and under another one it is due again. */
  readonly warned: ReadonlySet<string>;
  /** Notes told, by the scope that told them. */
  readonly notes: ReadonlyMap<string, number>;
  readonly overlaps: ReadonlySet<string>;
  readonly attempts: number;
  readonly nextSeq: number;
  readonly lastAt: number;
  readonly activeMs: number;
  /** Finished world-changing effects of this run and generation, oldest first. */
  readonly saga: readonly SagaEntry[];
  /** What took place in this generation and what did not. Goes on to be folded while the run goes on. */
  readonly acts: ActsFold;
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

const FROM_THE_START = { delivery: -1, inTurn: true } as const;

/**
 * Indexes a journal. A finished child's own entries are left out unless `deep`: its outcome answers for it.
 * Bounds that were lifted since, and effects that they stopped, are void.
 */
export function indexJournal(
  entries: readonly LoadedEntry[],
  mode: { readonly deep: boolean; readonly keeps?: readonly EffectId[] },
): Recorded {
  const first = entries.find((entry) => entry.inherited === undefined && isFirst(entry.event));
  if (first === undefined || !isFirst(first.event)) {
    throw new FlyballError('JOURNAL_CORRUPT', 'The journal does not begin with the start of a run or of a generation.');
  }
  const lifted = new LiftedBounds(entries, mode.keeps);
  const finished = mode.deep ? new Set<string>() : finishedChildren(entries, lifted);
  const voids = new Set<number>();
  const deliveries: LoadedEntry[] = [];
  const slices = new Map<EffectId, { readonly place: number; readonly limits: Budget }[]>();
  const late = new Map<EffectId, { readonly after: number; readonly lifeAt: number }>();
  let process = { after: 0, lifeAt: first.at }; // the one of this place: what it found, and when
  const starts = new Map<EffectId, Start[]>();
  const ends = new Map<EffectId, LoadedEntry & { readonly event: EndEvent }>();
  const stoppedCalls = new Set<EffectId>();
  const openWaits = new Set<EffectId>();
  const doubts = new Set<EffectId>();
  const rollbacks = new Set<string>();
  const undone = new Set<EffectId>();
  const rollbackStarts = new Set<string>();
  const changedIds = new Set<string>();
  const overlaps = new Set<string>();
  const warned = new Set<string>();
  const acts = new ActsFold();
  const intents = new Map<EffectId, EventOf<'intent'>>();
  const intended = new Set<EffectId>();
  const intentOwners = new Map<EffectId, Owner>();
  let owner: Owner | undefined;
  const head = entries[0]?.event;
  const before = stateAtStart(head !== undefined && isFirst(head) ? head : first.event);
  const state = new StateFold(before);
  const saga: SagaEntry[] = [];
  const budgets: Omit<Era, 'delivery' | 'inTurn'>[] = [];
  const places: number[] = [];
  let end: EventOf<'run-end'> | undefined;
  const notes = new Map<string, number>();
  let isPaused = false;
  // the run it was forked from was cancelled: what that stopped, and what the code told on its way out, is void
  let isCalledOff = false;
  let attempts = 0;

  for (const [place, entry] of entries.entries()) {
    const { event } = entry;
    const own = entry.inherited === undefined;
    state.observe(entry);
    if (own) acts.apply(entry);
    const wait = own ? waitChange(event) : undefined;
    if (wait?.status === 'open') openWaits.add(wait.id);
    else if (wait !== undefined) openWaits.delete(wait.id);
    const deliver = (): void => {
      deliveries.push(entry);
      places.push(place);
    };
    switch (event.type) {
      case 'ask-start':
      case 'call-start':
      case 'intent':
      case 'spawn-start':
      case 'wait-start':
      case 'sleep-start': {
        if (event.type === 'intent') {
          intended.add(event.id);
          if (owner !== undefined) intentOwners.set(event.id, owner);
        }
        if (event.type === 'intent' && own) intents.set(event.id, event);
        if (event.type === 'spawn-start' && event.late === true) late.set(event.id, process);
        if (isUnderAny(event.id, finished)) break;
        stoppedCalls.delete(event.id);
        const start = { ...entry, place } as Start;
        const list = starts.get(event.id);
        if (list === undefined) starts.set(event.id, [start]);
        else list.push(start);
        break;
      }
      case 'ask-end':
      case 'complete':
      case 'abort':
      case 'spawn-end':
      case 'wait-end':
      case 'sleep-end':
        if (event.type === 'wait-end' && event.unheard === true) break;
        if (isStopped(event) && lifted.isLifted(boundIn(event.failure) ?? '-', place)) {
          // by a bound that no longer holds, before it took place; what was begun stays reserved, or is in doubt again
          if (event.type === 'abort' && event.cutOff !== true) {
            if (own && event.ran === true && intents.get(event.id)?.of === 'call') stoppedCalls.add(event.id);
            starts.delete(event.id);
          }
          voids.add(place);
          break;
        }
        if (isCalledOff && isStopped(event) && event.failure?.code === 'CANCELLED') {
          if (event.type === 'abort') starts.delete(event.id);
          voids.add(place);
          break;
        }
        if (event.type === 'abort' && event.cutOff === true && lifted.isOnTheWayOut(scopeOf(event.id), place)) {
          voids.add(place);
          break;
        }
        if (event.type === 'spawn-end' && lifted.isEnd(place)) {
          voids.add(place);
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
        if (lifted.isLifted(event.node, place)) {
          voids.add(place);
          break;
        }
        if (!isUnderAny(event.node, finished) && !finished.has(event.node)) deliver();
        break;
      case 'cancel':
        if (own) deliver();
        else isCalledOff = true;
        break;
      case 'stuck':
        // on its way out of a bound that no longer holds, the code waited for something it will not come to now
        if (lifted.isOnTheWayOut('', place)) voids.add(place);
        else if (own) deliver();
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
        if (own) doubts.add(`${event.id}!doubt${event.attempt}`); // a fork asks about its own
        break;
      case 'changed':
        changedIds.add(event.id);
        break;
      case 'note':
        // what the code told on its way out of a bound that no longer holds is not told again
        if (isUnderAny(`${event.path}#`, finished)) break;
        if (isCalledOff || lifted.isOnTheWayOut(event.path, place)) voids.add(place);
        else notes.set(event.path, (notes.get(event.path) ?? 0) + 1);
        break;
      case 'slice-change':
        slices.set(event.id, [...(slices.get(event.id) ?? []), { place, limits: completed(event.limits) }]);
        break;
      case 'budget-warning':
        warned.add(`${budgets.length - 1} ${event.node} ${event.axis}`);
        break;
      case 'scope-overlap':
        overlaps.add(event.path);
        break;
      case 'attempt-start':
        if (own) attempts++;
        process = { after: deliveries.length, lifeAt: entry.at };
        owner = event.owner;
        break;
      case 'run-start':
      case 'generation-start':
        isCalledOff = false;
        // a fork's own part, also where a fork of it inherits that
        budgets.push({ from: place, at: entry.at, budget: completed(event.budget), fresh: place > 0 });
        break;
      case 'run-resume':
        if (event.budget !== undefined)
          budgets.push({ from: place, at: entry.at, budget: completed(event.budget), fresh: false });
        if (own) end = undefined;
        if (own) isPaused = false;
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
  const turns = new Turns(entries, places, (place) => voids.has(place));
  const eras = budgets.map(
    (era, index): Era => ({ ...era, ...(index === 0 ? FROM_THE_START : turns.opening(era.from)) }),
  );
  const last = entries.at(-1) ?? first;
  const lastOwn = entries.findLast((entry) => entry.inherited === undefined) ?? first;
  return {
    input: first.event.input,
    budget: eras.at(-1)?.budget ?? completed(first.event.budget),
    budgets: eras,
    slices,
    late,
    lifts: lifted.children,
    first,
    times: turns.times(),
    deliveries,
    starts,
    ends,
    stoppedCalls,
    openWaits,
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
    acts,
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

/** An end that says only why it was stopped. Where nobody knows whether it took place, that is no result either. */
function isStopped(event: EndEvent): event is EventOf<'abort' | 'complete'> {
  return event.type === 'abort' || (event.type === 'complete' && event.how === 'unknown');
}

/** The level whose bound stopped an effect. */
function boundIn({ code, detail }: Partial<Failure> = {}): string | undefined {
  const node = (detail as { readonly node?: unknown } | undefined)?.node;
  return code === 'BOUND_REACHED' && typeof node === 'string' ? node : undefined;
}

function finishedChildren(entries: readonly LoadedEntry[], lifted: LiftedBounds): Set<string> {
  const paths = new Map<EffectId, string>();
  const finished = new Set<string>();
  for (const [place, { event }] of entries.entries()) {
    if (event.type === 'spawn-start') paths.set(event.id, event.path);
    else if (event.type === 'spawn-end' && !lifted.isEnd(place)) {
      const path = paths.get(event.id);
      if (path !== undefined) finished.add(path);
    }
  }
  return finished;
}
