/** What a process that plays seeds is told. */
export const PLAYING = {
  seeds: { type: 'string', default: '1000' },
  from: { type: 'string', default: '1' },
  seed: { type: 'string' },
  shrink: { type: 'boolean', default: false },
  /** Goes on after a seed that fails. */
  all: { type: 'boolean', default: false },
} as const;
