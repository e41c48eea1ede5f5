import { sha256 } from '../core/canonical.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import type { Embedder } from '../ports/embedder.js';
import type { VectorCache } from '../ports/vector-cache.js';
import { bestOf, type Ranked, type SearchedDocument } from './ranked.js';
import { cosine, embedAll } from './vectors.js';
import { hasNoWords } from './whitespace-words.js';

/** Options of `DenseIndex`. */
export interface DenseOptions {
  readonly embedder: Embedder;
  /** Vectors made before, by content: only what changed is embedded again. */
  readonly cache?: VectorCache;
  /** Texts in one call of the embedder. 64 where absent. */
  readonly batch?: number;
}

const BATCH = 64;

/** What was embedded, by whom: an index can be kept only together with this. */
export interface DenseReport {
  readonly embedded: number;
  readonly fromCache: number;
}

/**
 * Documents by the direction of their vectors. Belongs to the embedder that made it: another one, or the same one with
 * other dimensions, is refused, because angles between vectors of two embedders say nothing.
 */
export class DenseIndex {
  readonly embedder: string;
  readonly dimensions: number;
  readonly report: DenseReport;
  private readonly ids: readonly string[];
  private readonly vectors: readonly Float32Array[];

  private constructor(ids: readonly string[], made: Made, { id, dimensions }: Embedder) {
    this.embedder = id;
    this.dimensions = dimensions;
    this.ids = ids;
    this.vectors = made.vectors;
    this.report = { embedded: made.embedded, fromCache: ids.length - made.embedded };
  }

  static async of(
    documents: readonly SearchedDocument[],
    options: DenseOptions & { readonly signal: AbortSignal },
  ): Promise<DenseIndex> {
    const { embedder, batch = BATCH } = options;
    if (!(Number.isInteger(batch) && batch >= 1)) throw new ConfigError(`batch must be at least 1, got ${batch}.`);
    const texts = documents.map(({ text }) => text);
    const made = await vectorsOf(texts, { ...options, batch });
    return new DenseIndex(
      documents.map(({ id }) => id),
      made,
      embedder,
    );
  }

  get size(): number {
    return this.ids.length;
  }

  /** The cosine for each document, in order; 0 for a document, or a query, with nothing in it. */
  async scores(query: string, embedder: Embedder, signal: AbortSignal): Promise<Float64Array> {
    this.checkEmbedder(embedder);
    if (hasNoWords(query))
      throw new FlyballError('INPUT_INVALID', 'The query is blank. Pass a query with at least one word.');
    const [wanted] = await embedAll(embedder, [query], { signal, as: 'query' });
    return Float64Array.from(this.vectors, (vector) => (wanted === undefined ? 0 : cosine(vector, wanted)));
  }

  /** The nearest `limit` documents, of equal ones the earlier first. */
  async search(
    query: string,
    how: { readonly embedder: Embedder; readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly Ranked[]> {
    const scores = await this.scores(query, how.embedder, how.signal);
    return bestOf(scores, how.limit).map((at) => ({ id: this.ids[at] ?? '', score: scores[at] ?? 0 }));
  }

  private checkEmbedder({ id, dimensions }: Embedder): void {
    if (id === this.embedder && dimensions === this.dimensions) return;
    throw new FlyballError(
      'CONFIG_INVALID',
      `This index was made by ${this.embedder} with ${this.dimensions} dimensions and cannot be asked by ${id} with ${dimensions}. Index the documents again with it.`,
      { detail: { index: this.embedder, asked: id } },
    );
  }
}

interface Made {
  readonly vectors: readonly Float32Array[];
  readonly embedded: number;
}

/** The key of a text in a vector cache. */
export function textKey(text: string): string {
  return sha256(text);
}

async function vectorsOf(
  texts: readonly string[],
  { embedder, cache, batch, signal }: DenseOptions & { readonly batch: number; readonly signal: AbortSignal },
): Promise<Made> {
  signal.throwIfAborted();
  const keys = texts.map(textKey);
  const known = new Map<string, Float32Array>();
  for (const [nth, vector] of ((await cache?.get(embedder.id, keys)) ?? []).entries())
    if (vector?.length === embedder.dimensions) known.set(keys[nth] ?? '', vector);
  const missing = [...new Map(texts.map((text, nth) => [keys[nth] ?? '', text]))].filter(([key]) => !known.has(key));
  for (let from = 0; from < missing.length; from += batch) {
    const part = missing.slice(from, from + batch);
    const vectors = await embedAll(
      embedder,
      part.map(([, text]) => text),
      { signal, as: 'document' },
    );
    const made = new Map(part.map(([key], nth) => [key, vectors[nth] ?? new Float32Array(embedder.dimensions)]));
    for (const [key, vector] of made) known.set(key, vector);
    await cache?.put(embedder.id, made); // after each batch: an interrupted indexing goes on where it was
  }
  return {
    vectors: keys.map((key) => known.get(key) ?? new Float32Array(embedder.dimensions)),
    embedded: missing.length,
  };
}
