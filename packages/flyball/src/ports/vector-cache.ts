/**
 * Vectors that were already made, so that nobody makes them twice. Only an optimization: what it does not hold, or
 * cannot read any more, is made again.
 *
 * Contract, for every implementation:
 * 1. A vector comes back only for the embedder id and the text key under which it was put, with the same numbers.
 * 2. What was put may be forgotten at any time; it is never changed.
 */
export interface VectorCache {
  /** One for each key, in order; undefined for those it does not hold. */
  get(embedder: string, keys: readonly string[]): Promise<readonly (Float32Array | undefined)[]>;
  put(embedder: string, vectors: ReadonlyMap<string, Float32Array>): Promise<void>;
}
