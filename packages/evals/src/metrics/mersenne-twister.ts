const SIZE = 624;

/** Random numbers as the reference draws them: the same seed gives the same numbers as `random.seed(seed)` in Python. */
export interface PythonRandom {
  /** At least 0 and below 1, with 53 random bits. */
  random(): number;
  /** A whole number from `low` to `high`, both included. */
  integer(low: number, high: number): number;
}

/** The Mersenne Twister MT19937, seeded as Python seeds it from a whole number. */
export function pythonRandom(seed: number): PythonRandom {
  const state = seeded(seed);
  let index = SIZE;
  const next = (): number => {
    if (index === SIZE) {
      twist(state);
      index = 0;
    }
    return temper(state[index++] ?? 0);
  };
  const below = (count: number): number => {
    const bits = 32 - Math.clz32(count);
    for (;;) {
      const drawn = next() >>> (32 - bits);
      if (drawn < count) return drawn;
    }
  };
  return {
    random: () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992,
    integer: (low, high) => low + below(high - low + 1),
  };
}

/** Only the floats of it. */
export function mersenneTwister(seed: number): () => number {
  return pythonRandom(seed).random;
}

function seeded(seed: number): Uint32Array {
  const key = wordsOf(Math.abs(Math.trunc(seed)));
  const state = firstState(19650218);
  let i = 1;
  let j = 0;
  for (let k = Math.max(SIZE, key.length); k > 0; k--) {
    state[i] = ((state[i] ?? 0) ^ Math.imul(mixed(state[i - 1] ?? 0), 1664525)) + (key[j] ?? 0) + j;
    i = wrap(state, i + 1);
    j = (j + 1) % key.length;
  }
  for (let k = SIZE - 1; k > 0; k--) {
    state[i] = ((state[i] ?? 0) ^ Math.imul(mixed(state[i - 1] ?? 0), 1566083941)) - i;
    i = wrap(state, i + 1);
  }
  state[0] = 0x80000000;
  return state;
}

/** The seed in 32-bit words, least significant first. */
function wordsOf(seed: number): readonly number[] {
  const high = Math.floor(seed / 2 ** 32);
  return high === 0 ? [seed >>> 0] : [seed >>> 0, high >>> 0];
}

function firstState(seed: number): Uint32Array {
  const state = new Uint32Array(SIZE);
  state[0] = seed;
  for (let i = 1; i < SIZE; i++) state[i] = Math.imul(mixed(state[i - 1] ?? 0), 1812433253) + i;
  return state;
}

function mixed(word: number): number {
  return word ^ (word >>> 30);
}

function wrap(state: Uint32Array, index: number): number {
  if (index < SIZE) return index;
  state[0] = state[SIZE - 1] ?? 0;
  return 1;
}

function twist(state: Uint32Array): void {
  for (let i = 0; i < SIZE; i++) {
    const joined = ((state[i] ?? 0) & 0x80000000) | ((state[(i + 1) % SIZE] ?? 0) & 0x7fffffff);
    state[i] = (state[(i + 397) % SIZE] ?? 0) ^ (joined >>> 1) ^ (joined & 1 ? 0x9908b0df : 0);
  }
}

function temper(word: number): number {
  let y = word;
  y ^= y >>> 11;
  y ^= (y << 7) & 0x9d2c5680;
  y ^= (y << 15) & 0xefc60000;
  return (y ^ (y >>> 18)) >>> 0;
}
