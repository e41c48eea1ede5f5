import type { Embedder } from '../ports/embedder.js';
import { cosine, unpacked } from '../retrieval/vectors.js';
import { wordsOf } from '../retrieval/words.js';
import type { StoredItem } from './items.js';

export interface Ranked {
  readonly item: StoredItem;
  readonly score: number;
}

export interface Ranking {
  readonly ranked: readonly Ranked[];
  /** Items without a vector of this embedder: found by their words only. */
  readonly otherEmbedder: number;
}

/**
 * Best first. Under a semantic embedder the angle between vectors decides. Under one that only sees spelling it counts
 * half and shared words the other half, rare words more than common ones; where there is no embedder, or an item was
 * embedded by another, shared words alone. Ties go to the newer item, then to the id, so that the order is always one.
 */
export function rank(
  items: readonly StoredItem[],
  query: { readonly text: string; readonly vector?: Float32Array },
  embedder: Embedder | undefined,
): Ranking {
  const angles = items.map(({ vector: stored }) => {
    const vector = embedder === undefined ? undefined : unpacked(embedder, stored);
    return vector === undefined || query.vector === undefined ? undefined : Math.max(0, cosine(query.vector, vector));
  });
  const strangers = angles.filter((angle) => angle === undefined).length;
  // reading every item's words is the slow part, and under a semantic embedder nobody needs them
  const words = embedder?.semantic === true && strangers === 0 ? [] : wordScores(items, query.text);
  const ranked = items.map((item, index): Ranked => {
    const [angle, word] = [angles[index], words[index] ?? 0];
    if (angle === undefined) return { item, score: word };
    return { item, score: embedder?.semantic === true ? angle : (angle + word) / 2 };
  });
  return { ranked: ranked.sort(byScore), otherEmbedder: embedder === undefined ? 0 : strangers };
}

function byScore(a: Ranked, b: Ranked): number {
  return b.score - a.score || byTime(a.item, b.item);
}

/** Newest first; of those written at one moment, the one that was written last. */
export function byTime(a: StoredItem, b: StoredItem): number {
  return b.at - a.at || b.by.localeCompare(a.by, 'en', { numeric: true }) || (a.id < b.id ? -1 : 1);
}

/** From 0 to 1 for each item: the share of the query's words that it holds, each weighted by how rare it is. */
function wordScores(items: readonly StoredItem[], query: string): readonly number[] {
  const wanted = [...new Set(wordsOf(query))];
  const held = items.map((item) => new Set(wordsOf(`${item.id} ${item.title} ${item.tags.join(' ')} ${item.content}`)));
  const weights = wanted.map((word) => {
    const holders = held.filter((words) => words.has(word)).length;
    return Math.log(1 + items.length / (1 + holders));
  });
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  if (total === 0) return items.map(() => 0);
  return held.map((words) => {
    const found = wanted.reduce((sum, word, index) => (words.has(word) ? sum + (weights[index] ?? 0) : sum), 0);
    return found / total;
  });
}
