import type { EffectId, EventOf, RunEvent } from '../core/events.js';
import { isUnder, type LoadedEntry } from './loaded-entry.js';

/** A stretch of history that is void: the way out of a bound, from where it was told to where the budget changed. */
interface WayOut {
  readonly from: number;
  readonly to: number;
  /** Code at this level was on its way out, with everything below it or with what is around it. */
  readonly path: string;
  readonly reach: 'below' | 'around';
}

interface BoundedChild {
  readonly place: number;
  readonly lift: number;
  readonly id: EffectId;
  readonly path: string | undefined;
}

/**
 * Which bounds of the past no longer hold, because the run went on under another budget. The run's own always; a
 * child's where its `bounded` outcome is the last that its parent did before the budget changed: then the child goes on
 * too, with a part of the new budget. Where the parent went on after it, the outcome is history like any other, and so it
 * is where the child reached a deadline of its own: no budget moves that. Branches beside it usually have nothing to do
 * with it. Where they went by its outcome all the same, a replay without it shows that, and `keeps` says so for good.
 */
export class LiftedBounds {
  /** Children that go on, by path, and where the budget changed that lets them. */
  readonly children = new Map<string, number>();
  private readonly ends = new Set<number>();
  private readonly waysOut: WayOut[] = [];
  private readonly lastLift: number;
  /** The children, newest outcome first. */
  readonly outcomes: { readonly place: number; readonly id: EffectId }[] = [];

  constructor(entries: readonly LoadedEntry[], keeps: readonly EffectId[] = []) {
    const lifts = entries.flatMap(({ event }, place) => (isLift(event, place) ? [place] : []));
    this.lastLift = lifts.at(-1) ?? -1;
    if (this.lastLift === -1) return;
    const started = new Map<EffectId, EventOf<'spawn-start'>>();
    const kept = keptOutcomes(entries, keeps);
    for (const [place, { event }] of entries.entries()) {
      if (event.type === 'spawn-start') started.set(event.id, event);
      if (event.type !== 'spawn-end' || event.outcome.stop !== 'bounded') continue;
      const lift = lifts.find((known) => known > place);
      const path = started.get(event.id)?.path;
      if (kept.has(place) || hadItsTime(started.get(event.id), event.outcome)) continue;
      if (lift === undefined || wentOn(entries, { place, lift, id: event.id, path })) continue;
      this.ends.add(place);
      this.outcomes.unshift({ place, id: event.id });
      this.waysOut.push({ from: place, to: lift, path: scopeOf(event.id), reach: 'around' });
      if (path !== undefined) this.children.set(path, lift);
    }
    for (const [place, { event }] of entries.entries()) {
      if (event.type !== 'trip' || !this.isLifted(event.node, place)) continue;
      const to = lifts.find((known) => known > place) ?? this.lastLift;
      this.waysOut.push({ from: place, to, path: event.node, reach: 'below' });
    }
  }

  /** The outcome of a child that goes on. */
  isEnd(place: number): boolean {
    return this.ends.has(place);
  }

  /** A bound that was reached at this level, told at this place. */
  isLifted(node: string, place: number): boolean {
    return place < (node === '' ? this.lastLift : (this.children.get(node) ?? -1));
  }

  /** What the code at this level did or told here, it did on its way out. */
  isOnTheWayOut(path: string, place: number): boolean {
    return this.waysOut.some(
      (way) =>
        way.from < place &&
        place < way.to &&
        (way.reach === 'below' ? isUnder(path, way.path) : isUnder(way.path, path)),
    );
  }
}

function isLift(event: RunEvent, place: number): boolean {
  if (event.type === 'run-resume') return event.budget !== undefined;
  return event.type === 'run-start' && place > 0; // a fork's own part begins, also where a fork of it inherits that
}

/** Places of outcomes that stay, as processes found out; the last one finds it out now. */
function keptOutcomes(entries: readonly LoadedEntry[], now: readonly EffectId[]): ReadonlySet<number> {
  const last = new Map<EffectId, number>();
  const kept = new Set<number>();
  const keep = (ids: readonly EffectId[] = []): void => {
    for (const id of ids) kept.add(last.get(id) ?? -1);
  };
  for (const [place, { event }] of entries.entries()) {
    if (event.type === 'spawn-end') last.set(event.id, place);
    if (event.type === 'attempt-start') keep(event.keeps);
  }
  keep(now);
  return kept;
}

/** It was ended by the deadline that it was given, not by one of what is around it. */
function hadItsTime(
  start: EventOf<'spawn-start'> | undefined,
  { bound, limit }: { readonly bound: string; readonly limit: number },
): boolean {
  return bound === 'deadline' && (start?.slice.deadline ?? Number.POSITIVE_INFINITY) <= limit;
}

/** Whether the code that got the outcome did anything with it before the budget changed. */
function wentOn(entries: readonly LoadedEntry[], child: BoundedChild): boolean {
  const scope = scopeOf(child.id);
  const before = entries.slice(0, child.place);
  const asked = newestAsked(entries.slice(0, child.place + 1));
  return entries.slice(child.place + 1, child.lift).some(({ event }) => {
    if (event.type === 'cancel') return true;
    if (event.type === 'run-end') return event.outcome.stop !== 'bounded';
    if (event.type === 'spawn-end' && event.outcome.stop !== 'bounded' && isAbove(entries, event.id, scope))
      return true;
    const path = pathOf(event);
    if (path === undefined || (child.path !== undefined && isUnder(path, child.path))) return false;
    if (wasAsked(event, asked)) return false;
    const branch = branchBeside(scope, path);
    // a branch or child beside it that was at work already has nothing to do with it
    return branch === undefined || !before.some((entry) => isUnder(signOf(entry.event) ?? '', branch));
  });
}

/** Of each scope the number of the newest effect that shows in these entries: what the code asks for is numbered. */
function newestAsked(entries: readonly LoadedEntry[]): ReadonlyMap<string, number> {
  const newest = new Map<string, number>();
  for (const { event } of entries) {
    if (!('id' in event) || typeof event.id !== 'string' || !event.id.includes('#')) continue;
    const scope = scopeOf(event.id);
    newest.set(scope, Math.max(newest.get(scope) ?? -1, numberOf(event.id)));
  }
  return newest;
}

/** More of an effect that had been asked for already: its end, another try, a question about it. */
function wasAsked(event: RunEvent, newest: ReadonlyMap<string, number>): boolean {
  if (!('id' in event) || typeof event.id !== 'string') return false;
  return numberOf(event.id) <= (newest.get(scopeOf(event.id)) ?? -1);
}

function numberOf(id: EffectId): number {
  return Number.parseInt(id.slice(id.indexOf('#') + 1), 10);
}

/** The scope that was at work when this was written. */
function signOf(event: RunEvent): string | undefined {
  return event.type === 'note' ? event.path : pathOf(event);
}

/** The scope in which an entry shows the code at work. */
function pathOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'spawn-start':
      return event.path; // what runs in a child has nothing to do with its neighbours
    case 'ask-start':
    case 'call-start':
    case 'intent':
    case 'wait-start':
    case 'sleep-start':
    case 'complete':
    case 'abort':
    case 'ask-end':
    case 'wait-end':
    case 'sleep-end':
      return scopeOf(event.id);
    case 'spawn-end':
      return event.outcome.stop === 'bounded' ? undefined : scopeOf(event.id);
    case 'rollback-start':
    case 'rollback-end':
      return event.scope;
    default:
      return undefined;
  }
}

/** The child with this id holds the scope. */
function isAbove(entries: readonly LoadedEntry[], id: EffectId, scope: string): boolean {
  return entries.some(({ event }) => event.type === 'spawn-start' && event.id === id && isUnder(scope, event.path));
}

/** The branch or child beside `scope`, or in it, that holds `path`; undefined where `path` is `scope` or around it. */
function branchBeside(scope: string, path: string): string | undefined {
  const mine = scope.split('/');
  const theirs = path.split('/');
  let at = 0;
  while (at < mine.length && at < theirs.length && mine[at] === theirs[at]) at++;
  const name = theirs[at];
  // branches and children end in a number after a dot, and named scopes do not
  return name !== undefined && /\.\d+$/.test(name) ? theirs.slice(0, at + 1).join('/') : undefined;
}

export function scopeOf(id: EffectId): string {
  return id.slice(0, id.indexOf('#'));
}
