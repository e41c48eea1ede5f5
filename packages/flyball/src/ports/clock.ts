/** The clock of a runtime. Use a virtual one in tests. */
export interface Clock {
  /** The date, in milliseconds. Somebody may set it, so that it jumps either way. */
  now(): number;
  /** Whole milliseconds since some moment of this process. Never goes back and never jumps: durations are measured by it. */
  monotonic(): number;
  /**
   * Calls back once after `ms` by `monotonic`; returns how to cancel. `keepAlive: false` does not hold the process open.
   */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
