import { ConfigError } from '../core/errors.js';
import type { Embedder } from '../ports/embedder.js';
import { wordsOf } from './words.js';

/**
 * Feature hashing: words and the three-letter pieces of words are counted into a fixed number of buckets. Needs no
 * model, no network and no time, and gives the same vector on every machine, which is what tests and small memories
 * want. It is not semantic: it knows that "invoice" and "invoices" are spelled alike, and not that "bill" means the
 * same. Its id says so.
 */
export function hashEmbedder(options: { readonly dimensions?: number } = {}): Embedder {
  const { dimensions = 256 } = options;
  if (!Number.isInteger(dimensions) || dimensions < 8 || dimensions > 4096)
    throw new ConfigError(`A hash embedder has 8 to 4096 dimensions, got ${dimensions}.`);
  return {
    // the version changes with anything that changes a vector
    id: `hash/v1-${dimensions}`,
    dimensions,
    semantic: false,
    async embed(texts, { signal }) {
      signal.throwIfAborted();
      return texts.map((text) => vectorOf(text, dimensions));
    },
  };
}

const PIECE = 3;
/** A shared piece says less than a shared word. */
const PIECE_WEIGHT = 0.4;

function vectorOf(text: string, dimensions: number): Float32Array {
  const sums = new Float64Array(dimensions);
  for (const [feature, { count, weight }] of featuresOf(text)) {
    const hash = fnv1a(feature);
    const bucket = (hash >>> 1) % dimensions;
    // half of the features count down, so that those that meet in a bucket by chance cancel out on average
    const sign = (hash & 1) === 0 ? 1 : -1;
    sums[bucket] = (sums[bucket] ?? 0) + sign * weight * (1 + Math.log(count));
  }
  return unit(sums);
}

function featuresOf(text: string): ReadonlyMap<string, { count: number; readonly weight: number }> {
  const features = new Map<string, { count: number; readonly weight: number }>();
  const add = (feature: string, weight: number): void => {
    const known = features.get(feature);
    if (known === undefined) features.set(feature, { count: 1, weight });
    else known.count++;
  };
  for (const word of wordsOf(text)) {
    add(`w ${word}`, 1);
    const marked = Array.from(`^${word}$`);
    for (let at = 0; at + PIECE <= marked.length; at++) add(`p ${marked.slice(at, at + PIECE).join('')}`, PIECE_WEIGHT);
  }
  return features;
}

function unit(sums: Float64Array): Float32Array {
  const length = Math.hypot(...sums);
  return Float32Array.from(sums, (sum) => (length === 0 ? 0 : sum / length));
}

/** FNV-1a over UTF-16 units with a final mix, so that the lowest bit, which is the sign, depends on all of them. */
function fnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  return (hash ^ (hash >>> 13)) >>> 0;
}
