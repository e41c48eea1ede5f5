import { hash } from 'node:crypto';
import { fstatSync, readSync } from 'node:fs';

export type Counted = 'events' | 'inbox' | 'runs' | 'records';
export type Tail = Readonly<Record<Counted, number>>;

/** What a tip says. */
export interface Tip {
  /** The highest counts of all sound slots. */
  readonly tail: Tail;
  /** `blank`: nobody has written into it yet. `damaged`: at least one slot is not what was written. */
  readonly state: 'sound' | 'blank' | 'damaged';
}

export const COUNTED: readonly Counted[] = ['events', 'inbox', 'runs', 'records'];
export const NOTHING: Tail = { events: 0, inbox: 0, runs: 0, records: 0 };

/**
 * Four counts and their checksum, the rest zero. A power of two, so that no slot lies across two sectors: a power cut
 * leaves the old one or the new one, and neither is taken for damage.
 */
export const SLOT_BYTES = 64;
export const SLOTS = 64;
export const TIP_BYTES = SLOTS * SLOT_BYTES;
const COUNTS_BYTES = COUNTED.length * 8;
const BLANK = Buffer.alloc(SLOT_BYTES);

export function slotOf(tail: Tail): Buffer {
  const slot = Buffer.alloc(SLOT_BYTES);
  COUNTED.forEach((counted, index) => slot.writeDoubleLE(tail[counted], index * 8));
  checksumOfCounts(slot).copy(slot, COUNTS_BYTES);
  return slot;
}

/** Other processes write meanwhile, and a read may meet half of a slot: only what stays wrong is damage. */
const MOST_READS = 5;

export function readTip(file: number): Tip {
  for (let reads = 1; ; reads += 1) {
    const tip = tipIn(file);
    if (tip.state !== 'damaged' || reads === MOST_READS) return tip;
  }
}

function tipIn(file: number): Tip {
  const { size } = fstatSync(file);
  if (size === 0) return { tail: NOTHING, state: 'blank' };
  const bytes = Buffer.alloc(TIP_BYTES);
  readSync(file, bytes, 0, TIP_BYTES, 0);
  const slots = Array.from({ length: SLOTS }, (_, n) => bytes.subarray(n * SLOT_BYTES, (n + 1) * SLOT_BYTES));
  const written = slots.filter((slot) => !slot.equals(BLANK));
  const sound = written.filter((slot) => slotOf(countsIn(slot)).equals(slot));
  const tail: Record<Counted, number> = { ...NOTHING };
  for (const counts of sound.map(countsIn))
    for (const counted of COUNTED) tail[counted] = Math.max(tail[counted], counts[counted]);
  if (size !== TIP_BYTES || sound.length < written.length) return { tail, state: 'damaged' };
  return { tail, state: written.length === 0 ? 'blank' : 'sound' };
}

function countsIn(slot: Buffer): Tail {
  const at = (index: number): number => slot.readDoubleLE(index * 8);
  return { events: at(0), inbox: at(1), runs: at(2), records: at(3) };
}

function checksumOfCounts(slot: Buffer): Buffer {
  return hash('sha256', slot.subarray(0, COUNTS_BYTES), 'buffer').subarray(0, 8);
}
