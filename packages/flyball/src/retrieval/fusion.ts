import { ConfigError } from '../core/errors.js';
import type { Ranked } from './ranked.js';

/** Options of `fuse`. */
export interface FusionOptions {
  /** How fast the weight of a place falls; the first place counts 1 / (k + 1). 60 where absent. */
  readonly k?: number;
  /** One for each list, 1 where absent; 0 leaves a list out. */
  readonly weights?: readonly number[];
}

const K = 60;

/**
 * Reciprocal-rank fusion: a document's score is the sum of weight / (k + place) over the lists that hold it, places counted
 * from 1. Only places count, so lists whose scores mean different things can be joined. Each document comes out once; of
 * equal ones the one that was met first.
 */
export function fuse(
  lists: readonly (readonly Pick<Ranked, 'id'>[])[],
  options: FusionOptions = {},
): readonly Ranked[] {
  const { k = K, weights = [] } = options;
  if (!(k >= 0) || weights.some((weight) => !(weight >= 0 && Number.isFinite(weight))))
    throw new ConfigError(`Fusion needs k >= 0 and finite weights >= 0, got k ${k} and weights ${weights.join(', ')}.`);
  const sums = new Map<string, number>();
  for (const [nth, list] of lists.entries()) {
    const weight = weights[nth] ?? 1;
    if (weight === 0) continue;
    const seen = new Set<string>();
    for (const { id } of list) {
      if (seen.has(id)) continue; // a list that repeats itself does not get two votes
      seen.add(id);
      sums.set(id, (sums.get(id) ?? 0) + weight / (k + seen.size));
    }
  }
  return [...sums].map(([id, score]) => ({ id, score })).sort((a, b) => b.score - a.score);
}
