import { ActsFold } from '../core/acts.js';
import { type Budget, completed } from '../core/budget.js';
import { passOver } from '../core/by-kind.js';
import { FlyballError } from '../core/errors.js';
import type { LifeKind, PatternKind } from '../core/event-kinds.js';
import type { EffectId, EventOf, RunEvent } from '../core/events.js';
import type { RunState } from '../core/run-state.js';
import { waitChange } from '../core/waits.js';
import { type BudgetHistory, budgetsIn } from './history/budgets.js';
import { type EffectHistory, effectsIn } from './history/effects.js';
import { type LifeHistory, livesIn } from './history/lives.js';
import { type RollbackHistory, rollbacksIn } from './history/rollbacks.js';
import { type Placed, placedIn } from './history/standing.js';
import { type ToldHistory, toldIn } from './history/told.js';
import { LiftedBounds } from './lifted-bounds.js';
import type { LoadedEntry } from './loaded-entry.js';
import { StateFold, stateAtStart } from './state-fold.js';
import { Turns } from './turns.js';

/** What a journal says about a run that is about to go on, indexed for replay. */
export interface Recorded extends EffectHistory, BudgetHistory, LifeHistory, RollbackHistory, ToldHistory {
  readonly input: unknown;
  readonly budget: Budget;
  /** Children that a later budget let go on, by path, and where that budget begins. */
  readonly lifts: ReadonlyMap<string, number>;
  readonly first: LoadedEntry;
  /** What `now()` says when the code starts, and in the turn of each delivery. Undefined: the time of the life about to begin. */
  readonly times: { readonly first: number | undefined; readonly each: readonly (number | undefined)[] };
  /** Completions, trips and cancellation, in the order in which the code gets them. */
  readonly deliveries: readonly LoadedEntry[];
  /**
   * How many deliveries come before the code has lived through these entries. What a child did that has ended since was a
   * turn when it happened, and is none now: after the last of those, the next delivery shows that it is over.
   */
  readonly turnsOf: (isIn: (entry: LoadedEntry) => boolean) => number;
  /** Posts of finished children: they are delivered, and no code waits for them. */
  readonly applied: ReadonlySet<EffectId>;
  /** Waits that were opened and neither ended nor closed since. */
  readonly openWaits: ReadonlySet<EffectId>;
  readonly nextSeq: number;
  readonly lastAt: number;
  readonly activeMs: number;
  /** What took place in this generation and what did not. Goes on to be folded while the run goes on. */
  readonly acts: ActsFold;
  /** What the run knew about itself when its code began: a fork's began with its parent. */
  readonly before: RunState;
  /** What it knows by now. The life that goes on from here carries it on. */
  readonly state: StateFold;
}

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
  const past = placedIn(entries, lifted, mode);
  const delivered = past.filter(({ standing }) => standing === 'delivered' || standing === 'applied');
  const turns = new Turns(
    entries,
    delivered.map(({ place }) => place),
    (place) => past[place]?.standing === 'void' || past[place]?.standing === 'void-from-start',
  );
  const { starts, ends, stoppedCalls, intents, intentOwners, intended, saga } = effectsIn(past);
  const { budgets, slices, warned } = budgetsIn(past, turns);
  const { attempts, late, isPaused, end } = livesIn(past, first.at);
  const { rollbacks, rollbackStarts, undone, doubts } = rollbacksIn(past);
  const { told, overlaps, changedIds, changesToAsk } = toldIn(past);
  const head = entries[0]?.event;
  const before = stateAtStart(head !== undefined && isFirst(head) ? head : first.event);
  const lastOwn = entries.findLast((entry) => entry.inherited === undefined) ?? first;
  // field by field: every run is indexed several times, and to spread the five of them costs more than to fold a short one
  return {
    starts,
    ends,
    stoppedCalls,
    intents,
    intentOwners,
    intended,
    saga,
    budgets,
    slices,
    warned,
    attempts,
    late,
    isPaused,
    end,
    rollbacks,
    rollbackStarts,
    undone,
    doubts,
    told,
    overlaps,
    changedIds,
    changesToAsk,
    input: first.event.input,
    budget: budgets.at(-1)?.budget ?? completed(first.event.budget),
    lifts: lifted.children,
    first,
    times: turns.times(),
    deliveries: delivered.map(({ entry }) => entry),
    turnsOf: (isIn) => turnsOf(past, isIn),
    applied: appliedIn(past),
    openWaits: openWaitsIn(past),
    nextSeq: lastOwn.seq + 1,
    lastAt: (entries.at(-1) ?? first).at,
    activeMs: lastOwn.activeMs,
    acts: actsIn(past),
    before,
    state: stateIn(entries, before),
  };
}

function turnsOf(past: readonly Placed[], isIn: (entry: LoadedEntry) => boolean): number {
  let turns = 0;
  let endsAside = false;
  for (const { entry, standing } of past) {
    if (!isIn(entry)) continue;
    if (standing === 'delivered' || standing === 'applied') {
      turns++;
      endsAside = false;
    } else if (standing === 'aside' && wasTurn(entry.event)) endsAside = true;
  }
  return endsAside ? turns + 1 : turns;
}

/** Of what a finished child's outcome answers for: it reached the code of that child. */
function wasTurn(event: RunEvent): boolean {
  switch (event.type) {
    case 'ask-end':
    case 'complete':
    case 'abort':
    case 'spawn-end':
    case 'sleep-end':
      return !event.id.endsWith('!undo');
    case 'wait-end':
      return event.unheard !== true;
    case 'trip':
    case 'rollback-end':
      return true;
    default:
      passOver<
        | LifeKind
        | PatternKind
        | 'ask-start'
        | 'intent'
        | 'call-start'
        | 'doubt'
        | 'spawn-start'
        | 'slice-change'
        | 'wait-start'
        | 'wait-close'
        | 'sleep-start'
        | 'cancel'
        | 'redirect'
        | 'stuck'
        | 'rollback-start'
        | 'note'
        | 'pin'
        | 'post'
      >(event);
      return false;
  }
}

function appliedIn(past: readonly Placed[]): ReadonlySet<EffectId> {
  return new Set(
    past.flatMap(({ standing, entry: { event } }) => (standing === 'applied' && 'id' in event ? [event.id] : [])),
  );
}

function openWaitsIn(past: readonly Placed[]): ReadonlySet<EffectId> {
  const open = new Set<EffectId>();
  for (const { entry, own } of past) {
    const change = own ? waitChange(entry.event) : undefined;
    if (change?.status === 'open') open.add(change.id);
    else if (change !== undefined) open.delete(change.id);
  }
  return open;
}

function actsIn(past: readonly Placed[]): ActsFold {
  const acts = new ActsFold();
  for (const { entry, own } of past) if (own) acts.apply(entry);
  return acts;
}

function stateIn(entries: readonly LoadedEntry[], before: RunState): StateFold {
  const state = new StateFold(before);
  for (const entry of entries) state.observe(entry);
  return state;
}

function isFirst(event: RunEvent): event is EventOf<'run-start' | 'generation-start'> {
  return event.type === 'run-start' || event.type === 'generation-start';
}
