import { FlyballError } from '../core/errors.js';
import type { EmbedContext, Embedder } from '../ports/embedder.js';

/** A vector as it stands in a record: with the embedder that made it, because it means nothing to another. */
export interface StoredVector {
  readonly embedder: string;
  /** 32-bit floats, little-endian, in base64: a third of the digits that JSON would need. */
  readonly data: string;
}

export async function embedAll(
  embedder: Embedder,
  texts: readonly string[],
  how: EmbedContext,
): Promise<readonly Float32Array[]> {
  const vectors = await embedder.embed(texts, how);
  const wrong = vectors.length !== texts.length || vectors.some(({ length }) => length !== embedder.dimensions);
  if (!wrong) return vectors;
  throw new FlyballError(
    'EFFECT_FAILED',
    `Embedder ${embedder.id} answered ${texts.length} texts with ${vectors.length} vectors, not all of ${embedder.dimensions} dimensions. Fix the adapter; embedderContract shows what it must hold.`,
  );
}

export function packed(embedder: Embedder, vector: Float32Array): StoredVector {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * 4);
  return { embedder: embedder.id, data: bytes.toString('base64') };
}

/** The vector, where this embedder made it; undefined for any other. */
export function unpacked(embedder: Embedder, stored: StoredVector | undefined): Float32Array | undefined {
  if (stored?.embedder !== embedder.id) return undefined;
  const bytes = Buffer.from(stored.data, 'base64');
  if (bytes.length !== embedder.dimensions * 4) return undefined;
  const vector = new Float32Array(embedder.dimensions);
  for (let index = 0; index < vector.length; index++) vector[index] = bytes.readFloatLE(index * 4);
  return vector;
}

/** Both are of length 1 or 0, so this is the cosine of the angle between them. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let index = 0; index < a.length; index++) sum += (a[index] ?? 0) * (b[index] ?? 0);
  return sum;
}
