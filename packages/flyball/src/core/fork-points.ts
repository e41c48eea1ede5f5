import type { EffectId, Entry } from './events.js';

/** Whether a run can be forked at an entry, and the nearest entry where it can. */
export type ForkPointVerdict =
  | { readonly ok: true }
  /** `nearest` is the valid position closest to the one asked for, the earlier of two; -1 when there is none. */
  | { readonly ok: false; readonly why: string; readonly nearest: number };

/** Positions of a generation from which a run can be forked: those that cut no INTENT from its end. */
export function forkPoints(entries: readonly Entry[], generation = lastGeneration(entries)): readonly number[] {
  return positionsOf(entries, generation).flatMap(({ seq, cut }) => (cut === undefined ? [seq] : []));
}

/**
 * Whether a run can be forked after this entry. Between an INTENT and its end nobody can say whether the effect
 * happened, and a fork that inherited the question could never find out.
 */
export function forkPointCheck(
  entries: readonly Entry[],
  seq: number,
  generation = lastGeneration(entries),
): ForkPointVerdict {
  const positions = positionsOf(entries, generation);
  const first = positions[0]?.seq;
  const last = positions.at(-1)?.seq;
  if (first === undefined || last === undefined) {
    return { ok: false, why: 'The journal has no entry to fork from.', nearest: -1 };
  }
  const at = positions.find((position) => position.seq === seq);
  if (at !== undefined && at.cut === undefined) return { ok: true };
  const nearest = nearestTo(seq, forkPoints(entries, generation));
  if (at?.cut !== undefined) {
    const { name, id, seq: since } = at.cut;
    return {
      ok: false,
      why: `Entry ${seq} is between the INTENT of ${name} (${id}, entry ${since}) and its end.`,
      nearest,
    };
  }
  return { ok: false, why: `There is no entry ${seq}: the journal has entries ${first} to ${last}.`, nearest };
}

interface Position {
  readonly seq: number;
  /** The oldest INTENT that has no end up to here. */
  readonly cut: Cut | undefined;
}
interface Cut {
  readonly id: EffectId;
  readonly name: string;
  readonly seq: number;
}

function positionsOf(entries: readonly Entry[], generation: number): readonly Position[] {
  const open = new Map<EffectId, Cut>();
  const positions: Position[] = [];
  for (const { generation: of, seq, event } of entries) {
    if (of !== generation) continue;
    if (event.type === 'intent' && !open.has(event.id)) open.set(event.id, { id: event.id, name: event.name, seq });
    if (event.type === 'complete' || event.type === 'abort') open.delete(event.id);
    positions.push({ seq, cut: open.values().next().value });
  }
  return positions;
}

function nearestTo(seq: number, valid: readonly number[]): number {
  let nearest = -1;
  for (const point of valid) {
    if (nearest === -1 || Math.abs(point - seq) < Math.abs(nearest - seq)) nearest = point;
  }
  return nearest;
}

/** Of the newest entry. */
export function lastGeneration(entries: readonly Entry[]): number {
  return entries.at(-1)?.generation ?? 0;
}
