import { type ByKind, byKind, rowsFor } from '../../core/by-kind.js';
import type { Failure } from '../../core/errors.js';
import type { EffectId, EndEvent, EventOf } from '../../core/events.js';
import type { LiftedBounds } from '../lifted-bounds.js';
import type { LoadedEntry } from '../loaded-entry.js';
import { around, scopeOf } from '../went-on.js';

/**
 * What an entry still is to the code that lives its past again.
 *
 * - `delivered`: it reaches the code, in its turn.
 * - `kept`: it holds, and no code waits for it.
 * - `aside`: it holds, and something else answers for it: the outcome of a finished child.
 * - `applied`: as `aside`, and what it changed is changed again in its turn.
 * - `void`: as if it had not been written, because what caused it no longer holds.
 * - `void-from-start`: so is the start of the effect.
 */
export type Standing = 'delivered' | 'kept' | 'aside' | 'applied' | 'void' | 'void-from-start';

/** An entry in its place among all entries. `own`: it is not inherited from the run that this one was forked from. */
export interface Placed {
  readonly entry: LoadedEntry;
  readonly place: number;
  readonly own: boolean;
  readonly standing: Standing;
}

/** What the standing of an entry is judged by. */
interface Past {
  readonly lifted: LiftedBounds;
  /** Paths of children whose outcome answers for them. */
  readonly finished: ReadonlySet<string>;
  /** The run it was forked from was cancelled: what that stopped, and what the code told on its way out, is void. */
  isCalledOff: boolean;
}

type Where = Pick<Placed, 'place' | 'own'>;

const STANDINGS: ByKind<[past: Past, where: Where], Standing> = {
  ...rowsFor(['run-start', 'generation-start'], (_event, past) => {
    past.isCalledOff = false;
    return 'kept';
  }),
  ...rowsFor(
    ['ask-start', 'call-start', 'intent', 'spawn-start', 'wait-start', 'sleep-start'],
    ({ id }, { finished }: Past) => (isUnderAny(id, finished) ? 'aside' : 'kept'),
  ),
  ...rowsFor(['ask-end', 'complete', 'abort', 'spawn-end', 'sleep-end'], standingOfEnd),
  'wait-end': (event, past, where) => (event.unheard === true ? 'aside' : standingOfEnd(event, past, where)),
  post: (event, past, where) => {
    const standing = standingOfEnd(event, past, where);
    return standing === 'aside' ? 'applied' : standing;
  },
  trip: ({ node }, { lifted, finished }, { place }) => {
    if (lifted.isLifted(node, place)) return 'void';
    return isUnderAny(node, finished) || finished.has(node) ? 'aside' : 'delivered';
  },
  cancel: (_event, past, { own }) => {
    if (own) return 'delivered';
    past.isCalledOff = true;
    return 'kept';
  },
  // on its way out of a bound that no longer holds, the code waited for something it will not come to now
  stuck: (_event, { lifted }, { place, own }) =>
    lifted.isOnTheWayOut('', place) ? 'void' : own ? 'delivered' : 'kept',
  redirect: () => 'delivered', // a fork's past was told the same
  'rollback-end': ({ scope }, { finished }) => (scope === '' || isUnderAny(scope, finished) ? 'kept' : 'delivered'),
  // what the code told on its way out of a bound that no longer holds is not told again
  ...rowsFor(
    ['note', 'scope-start', 'scope-end', 'best', 'changed'],
    ({ path = '' }, { lifted, finished, isCalledOff }: Past, { place }: Where) => {
      if (isUnderAny(`${path}#`, finished)) return 'aside';
      return isCalledOff || lifted.isOnTheWayOut(path, place) ? 'void' : 'kept';
    },
  ),
  ...rowsFor(
    [
      'generation-end',
      'attempt-start',
      'run-resume',
      'run-pause',
      'run-end',
      'doubt',
      'slice-change',
      'wait-close',
      'pin',
      'budget-warning',
      'scope-overlap',
      'guard-refused',
      'guard-decision',
      'retry',
      'signal-refused',
      'operator-alert',
      'rollback-start',
    ],
    () => 'kept',
  ),
};

function standingOfEnd(event: EndEvent, past: Past, where: Where): Standing {
  const { lifted, finished, isCalledOff } = past;
  const { place } = where;
  if (isStopped(event) && isTakenBack(event.failure, past, where)) {
    // by what no longer holds, before it took place; what was begun stays reserved, or is in doubt again
    return event.type === 'abort' && event.cutOff !== true ? 'void-from-start' : 'void';
  }
  if (isAskedAgain(event, past, where)) return 'void';
  if (isCalledOff && isStopped(event) && event.failure?.code === 'CANCELLED')
    return event.type === 'abort' ? 'void-from-start' : 'void';
  if (event.type === 'abort' && event.cutOff === true && lifted.isOnTheWayOut(scopeOf(event.id), place)) return 'void';
  if (event.type === 'spawn-end' && lifted.isEnd(place)) return 'void';
  if (isUnderAny(event.id, finished)) return 'aside';
  return event.id.endsWith('!undo') ? 'kept' : 'delivered';
}

/** A model call that was cut off with what was streamed, by something that no longer holds. */
function isAskedAgain(event: EndEvent, past: Past, where: Where): boolean {
  if (event.type !== 'ask-end' || event.cutOff !== true) return false;
  if (past.isCalledOff || isTakenBack(event.failure, past, where)) return true;
  return past.lifted.isOnTheWayOut(scopeOf(event.id), where.place);
}

/** What stopped an effect no longer holds: a bound, or the decision for the others that left its branch. */
function isTakenBack(failure: Failure | undefined, { lifted }: Past, { place }: Where): boolean {
  const node = pathIn(failure, 'BOUND_REACHED', 'node');
  if (node !== undefined) return lifted.isLifted(node, place);
  const branch = pathIn(failure, 'CANCELLED', 'branch');
  return branch !== undefined && lifted.isDecidedAnew(around(branch), place);
}

/** Says of each entry what it still is. A finished child's own entries stand aside unless `deep`. */
export function placedIn(
  entries: readonly LoadedEntry[],
  lifted: LiftedBounds,
  mode: { readonly deep: boolean },
): readonly Placed[] {
  const finished = mode.deep ? new Set<string>() : finishedChildren(entries, lifted);
  const past: Past = { lifted, finished, isCalledOff: false };
  return entries.map((entry, place) => {
    const own = entry.inherited === undefined;
    return { entry, place, own, standing: byKind(STANDINGS, entry.event, past, { place, own }) };
  });
}

function finishedChildren(entries: readonly LoadedEntry[], lifted: LiftedBounds): ReadonlySet<string> {
  const paths = new Map<EffectId, string>();
  const finished = new Set<string>();
  for (const [place, { event }] of entries.entries()) {
    if (event.type === 'spawn-start' && event.within === undefined) paths.set(event.id, event.path);
    else if (event.type === 'spawn-end' && !lifted.isEnd(place)) {
      const path = paths.get(event.id);
      if (path !== undefined) finished.add(path);
    }
  }
  return finished;
}

/** An end that says only why it was stopped. Where nobody knows whether it took place, that is no result either. */
function isStopped(event: EndEvent): event is EventOf<'abort' | 'complete'> {
  return event.type === 'abort' || (event.type === 'complete' && event.how === 'unknown');
}

/** The level whose bound stopped an effect, or the branch that was left with it. */
function pathIn(
  { code, detail }: Partial<Failure> = {},
  stoppedBy: 'BOUND_REACHED' | 'CANCELLED',
  name: 'node' | 'branch',
): string | undefined {
  const path = (detail as Readonly<Record<string, unknown>> | undefined)?.[name];
  return code === stoppedBy && typeof path === 'string' ? path : undefined;
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
