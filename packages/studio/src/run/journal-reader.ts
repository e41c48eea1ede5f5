import type { Entry } from '../../../flyball/src/core/events.js';

export function positionOf({ generation, seq }: Pick<Entry, 'generation' | 'seq'>): string {
  return `${generation}.${seq}`;
}

/** An entry is missing between two that arrived: the stream has to be asked again from the last good one. */
export class GapError extends Error {
  constructor(last: Entry | undefined, next: Entry) {
    super(`Entry ${positionOf(next)} does not follow ${last === undefined ? 'the start' : positionOf(last)}.`);
    this.name = 'GapError';
  }
}

/** What to do with an entry that arrives after `last`: a stream that comes back may tell again what is known. */
export function follows(last: Entry | undefined, next: Entry): 'next' | 'known' {
  if (last === undefined) {
    if (next.seq === 0) return 'next';
    throw new GapError(last, next);
  }
  if (next.generation < last.generation) return 'known';
  if (next.generation === last.generation) {
    if (next.seq <= last.seq) return 'known';
    if (next.seq === last.seq + 1) return 'next';
  } else if (next.generation === last.generation + 1 && next.seq === 0) return 'next';
  throw new GapError(last, next);
}
