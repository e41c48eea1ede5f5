import type { Entry, EventType } from 'flyball';
import type { Place } from './place.js';
import type { Violation } from './world.js';

/** A process that was killed while it worked on the run, and how long the run had been at work by then. */
export interface Killed {
  readonly owner: string;
  readonly after: Entry;
  readonly workedMs: number;
}

/** A body or a call is at work after these. One that only waits for a person or a time does not count. */
const UNDER_WAY: ReadonlySet<EventType> = new Set(['intent', 'ask-start']);

/** What is known of a life at the moment it dies; undefined where it did not hold the run, or its date was set. */
export async function killedAt(
  place: Place,
  { runId, diedAt, before }: { readonly runId: string; readonly diedAt: number; readonly before: readonly Killed[] },
): Promise<Killed | undefined> {
  const { engine, given } = place;
  if (given.meddling.some(({ what }) => what === 'forward' || what === 'back')) return undefined; // dates say nothing then
  const record = await engine.get(runId);
  if (record?.owner === undefined) return undefined;
  if (before.some(({ owner }) => owner === record.owner?.id)) return undefined; // it died before it had the run
  const [last] = (await place.look((runtime) => runtime.entries(runId))).slice(-1);
  if (last === undefined || !UNDER_WAY.has(last.event.type)) return undefined;
  const since = Math.max(last.at, record.updatedAt); // it may have lain still before it was claimed
  return { owner: record.owner.id, after: last, workedMs: last.activeMs + Math.max(0, diedAt - since) };
}

/** The life after it starts from what it had worked, and not from its last entry. */
export function forgottenTime(killed: readonly Killed[], entries: readonly Entry[]): readonly Violation[] {
  return killed.flatMap(({ after, workedMs }) => {
    const at = entries.findIndex(({ generation, seq }) => generation === after.generation && seq === after.seq);
    const next = entries.slice(at + 1).find(({ event }) => event.type === 'attempt-start');
    if (next === undefined || next.activeMs >= Math.trunc(workedMs)) return [];
    return [{ rule: 'time:killed', detail: `entry ${next.seq} starts at ${next.activeMs} of ${workedMs} ms` }];
  });
}
