import { ConfigError } from '../core/errors.js';

/** Random numbers that a seed repeats: a failing case is reported by its seed alone. */
export interface SeededRandom {
  /** From 0 inclusive to 1 exclusive. */
  (): number;
  /** A whole number from 0 inclusive to `n` exclusive. */
  int(n: number): number;
  pick<T>(list: readonly T[]): T;
  /** A shuffled copy. */
  shuffle<T>(list: readonly T[]): T[];
}

/** Mulberry32: 32 bits of state, plenty for tests and quick enough for fuzzing. Not for secrets. */
export function seededRandom(seed: number | string): SeededRandom {
  let state = typeof seed === 'number' ? seed | 0 : hashOf(seed);

  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  const int = (n: number): number => {
    if (!(n >= 1)) throw new ConfigError(`A random whole number needs a range of at least 1, got ${n}.`);
    return Math.floor(next() * n);
  };

  const shuffle = <T>(list: readonly T[]): T[] =>
    list
      .map((item) => ({ item, order: next() }))
      .sort((a, b) => a.order - b.order)
      .map(({ item }) => item);

  const pick = <T>(list: readonly T[]): T => list[int(list.length)] as T; // in range: int refuses an empty list

  return Object.assign(next, { int, pick, shuffle });
}

function hashOf(text: string): number {
  let hash = 0x811c9dc5; // FNV-1a
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return hash;
}
