/** Time, as the runtime sees it. Tests bring a virtual one. */
export interface Clock {
  now(): number;
  /** Calls back once after `ms`; returns how to cancel. `keepAlive: false` does not hold the process open. */
  after(ms: number, callback: () => void, options?: { readonly keepAlive?: boolean }): () => void;
}
