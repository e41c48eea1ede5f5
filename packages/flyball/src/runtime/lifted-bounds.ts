import type { EffectId, EventOf, RunEvent } from '../core/events.js';
import { isUnder, type LoadedEntry } from './loaded-entry.js';
import { scopeOf, wentOn } from './went-on.js';

/** A stretch of history that is void: the way out of a bound, from where it was told to where the budget changed. */
interface WayOut {
  readonly from: number;
  readonly to: number;
  /** Code at this level was on its way out, with everything below it or with what is around it. */
  readonly path: string;
  readonly reach: 'below' | 'around';
}

/** What is known of the past while it is read. */
interface Past {
  readonly entries: readonly LoadedEntry[];
  /** Where the budget changed. */
  readonly lifts: readonly number[];
  /** Outcomes that stay as they are. */
  readonly kept: ReadonlySet<number>;
  readonly started: Map<EffectId, EventOf<'spawn-start'>>;
  /** By path. */
  readonly children: Map<string, EventOf<'spawn-start'>>;
}

/**
 * Which bounds of the past no longer hold, because the run went on under another budget. The run's own always; a
 * child's where its parent had not heard of it when the budget changed, or where its `bounded` outcome is the last that
 * its parent did before that: then the child goes on too, with a part of the new budget. Where the parent went on after
 * it, the outcome is history like any other, and so it is where the child reached a deadline of its own: no budget moves
 * that. Branches beside it usually have nothing to do with it. Where they went by its outcome all the same, a replay
 * without it shows that, and `keeps` says so for good.
 */
export class LiftedBounds {
  /** Children that go on, by path, and where the budget changed that lets them. */
  readonly children = new Map<string, number>();
  private readonly ends = new Set<number>();
  private readonly waysOut: WayOut[] = [];
  private readonly lastLift: number;
  /** The children, and where their outcome is, or their bound where they had none yet: newest first. */
  readonly outcomes: { readonly place: number; readonly id: EffectId }[] = [];

  constructor(entries: readonly LoadedEntry[], keeps: readonly EffectId[] = []) {
    const lifts = entries.flatMap(({ event }, place) => (isLift(event, place) ? [place] : []));
    this.lastLift = lifts.at(-1) ?? -1;
    if (this.lastLift === -1) return;
    const past: Past = { entries, lifts, kept: keptOutcomes(entries, keeps), started: new Map(), children: new Map() };
    for (const [place, { event }] of entries.entries()) {
      if (event.type === 'spawn-start') {
        past.started.set(event.id, event);
        past.children.set(event.path, event);
      }
      if (event.type === 'spawn-end' && event.outcome.stop === 'bounded') this.readOutcome(past, place, event);
    }
    for (const [place, { event }] of entries.entries()) if (event.type === 'trip') this.readTrip(past, place, event);
    this.outcomes.sort((one, other) => other.place - one.place);
  }

  /** A child ended at a bound, and goes on where that bound no longer holds. */
  private readOutcome(past: Past, place: number, { id, outcome }: EventOf<'spawn-end'>): void {
    const { entries, lifts, kept, started } = past;
    const lift = lifts.find((known) => known > place);
    const path = started.get(id)?.path;
    if (outcome.stop !== 'bounded' || kept.has(place) || hadItsTime(started.get(id), outcome)) return;
    if (lift === undefined || wentOn(entries, { place, lift, id, path })) return;
    this.ends.add(place);
    this.outcomes.push({ place, id });
    this.waysOut.push({ from: place, to: lift, path: scopeOf(id), reach: 'around' });
    if (path !== undefined) this.goesOn(path, lift);
  }

  /** A bound was reached; a child whose bound it was goes on as well, where nobody has heard of it yet. */
  private readTrip(past: Past, place: number, event: EventOf<'trip'>): void {
    const { entries, lifts, kept, started, children } = past;
    const child = children.get(event.node);
    const lift = lifts.find((known) => known > place);
    const isOpen =
      child !== undefined && lift !== undefined && this.isUnheard(entries, started, { child, place, lift });
    if (isOpen && !kept.has(place) && !hadItsTime(child, event)) {
      this.outcomes.push({ place, id: child.id });
      this.goesOn(child.path, lift);
    }
    if (this.isLifted(event.node, place))
      this.waysOut.push({ from: place, to: lift ?? this.lastLift, path: event.node, reach: 'below' });
  }

  private goesOn(path: string, lift: number): void {
    this.children.set(path, Math.max(lift, this.children.get(path) ?? -1));
  }

  /** Neither the child that reached its bound here nor one around it had ended when the budget changed. */
  private isUnheard(
    entries: readonly LoadedEntry[],
    started: ReadonlyMap<EffectId, EventOf<'spawn-start'>>,
    { child, place, lift }: { readonly child: EventOf<'spawn-start'>; readonly place: number; readonly lift: number },
  ): boolean {
    return !entries.slice(place, lift).some(({ event }, after) => {
      if (event.type !== 'spawn-end') return false;
      if (event.id === child.id) return true;
      const path = started.get(event.id)?.path;
      return path !== undefined && isUnder(child.path, path) && !this.isEnd(place + after);
    });
  }

  /** The outcome of a child that goes on. */
  isEnd(place: number): boolean {
    return this.ends.has(place);
  }

  /** A bound that was reached at this level, told at this place. */
  isLifted(node: string, place: number): boolean {
    return place < (node === '' ? this.lastLift : (this.children.get(node) ?? -1));
  }

  /** What was decided here, in this scope, may have followed from the outcome of a child that goes on. */
  isDecidedAnew(scope: string, place: number): boolean {
    return this.waysOut.some(
      ({ reach, from, to, path }) => reach === 'around' && from < place && place < to && isUnder(path, scope),
    );
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
  const ids = new Map<string, EffectId>();
  const kept = new Set<number>();
  const keep = (ids: readonly EffectId[] = []): void => {
    for (const id of ids) kept.add(last.get(id) ?? -1);
  };
  for (const [place, { event }] of entries.entries()) {
    if (event.type === 'spawn-start') ids.set(event.path, event.id);
    if (event.type === 'trip') last.set(ids.get(event.node) ?? '', place);
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
