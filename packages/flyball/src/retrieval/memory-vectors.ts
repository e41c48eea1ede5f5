import type { VectorCache } from '../ports/vector-cache.js';

/** Vectors kept as long as the process lives. */
export function memoryVectors(): VectorCache {
  const kept = new Map<string, Map<string, Float32Array>>();
  return {
    get: async (embedder, keys) => keys.map((key) => kept.get(embedder)?.get(key)),
    async put(embedder, vectors) {
      const known = kept.get(embedder) ?? new Map<string, Float32Array>();
      kept.set(embedder, known);
      for (const [key, vector] of vectors) known.set(key, vector);
    },
  };
}
