import { cursorUnknown } from './engine-errors.js';

/** Where a run stands among those that nobody has claimed for a while: by since when, and by id where that is the same. */
export interface OverduePlace {
  readonly since: number;
  readonly id: string;
}

export function byPlace(a: OverduePlace, b: OverduePlace): number {
  return a.since - b.since || Buffer.compare(Buffer.from(a.id), Buffer.from(b.id));
}

export function overdueCursor({ since, id }: OverduePlace): string {
  return JSON.stringify([since, id]);
}

/** Throws INPUT_INVALID for a cursor that no page has given out. */
export function overduePlace(cursor: string): OverduePlace {
  const [since, id] = partsOf(cursor);
  if (typeof since !== 'number' || typeof id !== 'string') throw cursorUnknown(cursor);
  return { since, id };
}

function partsOf(cursor: string): readonly unknown[] {
  try {
    const parts: unknown = JSON.parse(cursor);
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}
