import { byPlace, overduePlace } from '../../core/overdue-place.js';
import { tenantsInTurn } from '../../core/turns.js';
import type { DueQuery, OverdueQuery, QueueLine } from '../../ports/engine.js';
import type { MemoryRun } from './memory-run.js';

/**
 * Which runs a worker can claim, without looking at those that only wait: 10,000 suspended runs must not slow down
 * the waking of one.
 *
 * Invariants:
 * 1. `ready` holds exactly the runs without an owner that can be claimed now, timers that came due included.
 * 2. A timer counts only while its run still waits for that time; one left behind by a claim is skipped.
 * 3. `owned` holds exactly the runs with an owner.
 */
export class WaitingLine {
  private readonly ready = new ReadyRuns();
  private readonly owned = new Set<MemoryRun>();
  private timers: Timer[] = [];
  private timed = 0;

  /** Takes the run out before its state changes; `enter` puts it back where the new state belongs. */
  leave(run: MemoryRun): void {
    if (isTimed(run) && !this.ready.has(run)) this.timed -= 1;
    this.ready.delete(run);
    this.owned.delete(run);
  }

  enter(run: MemoryRun): void {
    if (run.owner !== undefined) this.owned.add(run);
    else if (isReady(run)) this.ready.add(run);
    else if (isTimed(run)) this.addTimer({ at: run.wakeAt ?? 0, run, fence: run.fence });
  }

  due(query: DueQuery): readonly string[] {
    this.promote(query.now);
    const isWanted = wantedBy(query);
    const gone = new Map<string, boolean>();
    const found: string[] = [];
    for (const run of this.owned) {
      if (found.length >= query.limit) return found;
      if (!isWanted(run) || run.owner === undefined) continue;
      const isGone = gone.get(run.owner.id) ?? query.isGone(run.owner);
      gone.set(run.owner.id, isGone);
      if (isGone || (run.leaseUntil ?? 0) <= query.now) found.push(run.id);
    }
    for (const run of this.ready.inTurns(query.after, isWanted)) {
      if (found.length >= query.limit) return found;
      found.push(run.id);
    }
    return found;
  }

  queue(now: number): readonly QueueLine[] {
    const lines = new Map<string, { tenant: string; agent: string; version: string; runs: number; since: number }>();
    const count = ({ tenant, agent, version }: MemoryRun, since: number): void => {
      const key = JSON.stringify([tenant, agent, version]);
      const line = lines.get(key) ?? { tenant, agent, version, runs: 0, since };
      lines.set(key, { ...line, runs: line.runs + 1, since: Math.min(line.since, since) });
    };
    for (const [run, since] of this.standing(now)) count(run, since);
    return [...lines.values()];
  }

  /** Runs that have been due for that long, each with since when, by that and by name. */
  overdue({ now, forMs, agents, limit, cursor }: OverdueQuery): readonly (readonly [run: MemoryRun, since: number])[] {
    const wanted = new Set(agents);
    const behind = cursor === undefined ? undefined : overduePlace(cursor);
    return [...this.standing(now)]
      .filter(([run, since]) => since <= now - forMs && wanted.has(run.agent))
      .sort(([a, sinceA], [b, sinceB]) => byPlace({ since: sinceA, id: a.id }, { since: sinceB, id: b.id }))
      .filter(([{ id }, since]) => behind === undefined || byPlace({ since, id }, behind) > 0)
      .slice(0, limit);
  }

  /** What could be claimed now, and since when; of those with an owner, the ones whose lease is over. */
  private *standing(now: number): Generator<readonly [run: MemoryRun, since: number]> {
    this.promote(now);
    for (const run of this.ready.all()) yield [run, isReady(run) ? run.updatedAt : (run.wakeAt ?? run.updatedAt)];
    for (const run of this.owned) if ((run.leaseUntil ?? 0) <= now) yield [run, run.leaseUntil ?? 0];
  }

  next(after: number): number | undefined {
    this.promote(after);
    let next = this.timers[0]?.at;
    for (const { leaseUntil } of this.owned) {
      if (leaseUntil !== undefined && leaseUntil > after && (next === undefined || leaseUntil < next))
        next = leaseUntil;
    }
    return next;
  }

  /** Timers that are over become ready; stale ones are dropped from the front, so the first one left is real. */
  private promote(now: number): void {
    for (let first = this.timers[0]; first !== undefined; first = this.timers[0]) {
      const isStale = first.fence !== first.run.fence || !isTimed(first.run) || this.ready.has(first.run);
      if (!isStale && first.at > now) return;
      removeFirst(this.timers);
      if (isStale) continue;
      this.timed -= 1;
      this.ready.add(first.run);
    }
  }

  private addTimer(timer: Timer): void {
    this.timed += 1;
    addTo(this.timers, timer);
    if (this.timers.length <= 2 * this.timed + 64) return;
    // runs that are woken early leave their timers behind: without this a long timeout would keep them all
    const live = this.timers.filter((other) => other.fence === other.run.fence && isTimed(other.run));
    this.timers = live.sort((a, b) => a.at - b.at);
  }
}

/** Runs that can be claimed, a line for each tenant. */
class ReadyRuns {
  private readonly lines = new Map<string, Set<MemoryRun>>();

  has(run: MemoryRun): boolean {
    return this.lines.get(run.tenant)?.has(run) === true;
  }

  add(run: MemoryRun): void {
    const line = this.lines.get(run.tenant);
    if (line === undefined) this.lines.set(run.tenant, new Set([run]));
    else line.add(run);
  }

  delete(run: MemoryRun): void {
    const line = this.lines.get(run.tenant);
    line?.delete(run);
    if (line?.size === 0) this.lines.delete(run.tenant);
  }

  *all(): Generator<MemoryRun> {
    for (const line of this.lines.values()) yield* line;
  }

  /** One of each tenant, then the next of each. Looks no further than somebody asks. */
  *inTurns(after: string | undefined, isWanted: (run: MemoryRun) => boolean): Generator<MemoryRun> {
    let lines = tenantsInTurn(this.lines.keys(), after).map((tenant) => this.lines.get(tenant)?.values());
    while (lines.length > 0) {
      const going: typeof lines = [];
      for (const line of lines) {
        const run = line === undefined ? undefined : nextOf(line, isWanted);
        if (run === undefined) continue;
        yield run;
        going.push(line);
      }
      lines = going;
    }
  }
}

function nextOf<T>(items: Iterator<T>, isWanted: (item: T) => boolean): T | undefined {
  for (let next = items.next(); next.done !== true; next = items.next()) if (isWanted(next.value)) return next.value;
  return undefined;
}

interface Timer {
  readonly at: number;
  readonly run: MemoryRun;
  /** The fence under which the run went to sleep. */
  readonly fence: number;
}

function wantedBy({ agents, except = [], asleep = [], only, here = [], crashes: wanted = {} }: DueQuery) {
  const { from = 0, below = Number.POSITIVE_INFINITY } = wanted;
  const known = new Set(agents);
  const sleeping = new Set(asleep);
  return (run: MemoryRun): boolean => {
    const { agent, version, owner } = run;
    const crashes = run.crashes + (owner === undefined ? 0 : 1);
    return (
      known.has(agent) &&
      only?.includes(run.id) !== false &&
      !here.includes(run.id) &&
      !(sleeping.has(run.id) && isTimed(run)) &&
      crashes >= from &&
      crashes < below &&
      !except.some((left) => left.agent === agent && left.version === version)
    );
  };
}

function isReady(run: MemoryRun): boolean {
  if (run.status === 'pending') return true;
  if (run.status === 'suspended') return run.signalled !== 'nothing';
  return run.status === 'paused' && (run.signalled === 'resume' || run.signalled === 'cancel');
}

function isTimed(run: MemoryRun): boolean {
  return run.owner === undefined && run.status === 'suspended' && run.wakeAt !== undefined && !isReady(run);
}

/** A binary heap in an array, earliest first. */
function addTo(heap: Timer[], timer: Timer): void {
  let at = heap.length;
  while (at > 0) {
    const parentAt = (at - 1) >> 1;
    const parent = heap[parentAt];
    if (parent === undefined || parent.at <= timer.at) break;
    heap[at] = parent;
    at = parentAt;
  }
  heap[at] = timer;
}

function removeFirst(heap: Timer[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = heap[2 * at + 1];
    const right = heap[2 * at + 2];
    const isLeft = right === undefined || (left !== undefined && left.at <= right.at);
    const child = isLeft ? left : right;
    if (child === undefined || child.at >= last.at) break;
    heap[at] = child;
    at = 2 * at + (isLeft ? 1 : 2);
  }
  heap[at] = last;
}
