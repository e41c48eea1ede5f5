import { ConfigError, FlyballError } from '../core/errors.js';

/** What a rating says: from 0, beside the point, to 10, exactly what was asked for. */
export const RATING = { least: 0, most: 10 } as const;
const KEPT = 5;
const WIDTH = 8;

/** Options of `rerank`. */
export interface RerankOptions<T> {
  /** From 0 to 10, for one candidate. */
  rate(candidate: T): Promise<number> | number;
  /** What is rated lower is dropped. 5 where absent. */
  readonly least?: number;
  /** How many are rated at one time. 8 where absent. */
  readonly width?: number;
}

/**
 * Rates each candidate by itself and keeps those that are worth it, best first; of equal ones the earlier first. Only ever
 * a subset of what it was given, each at most once, with the rating as its score. One that cannot be rated fails the whole:
 * to leave it out silently would hide a document.
 */
export async function rerank<T extends { readonly id: string; readonly score: number }>(
  candidates: readonly T[],
  options: RerankOptions<T>,
): Promise<readonly T[]> {
  const { least = KEPT, width = WIDTH } = options;
  if (!(Number.isInteger(width) && width >= 1)) throw new ConfigError(`width must be at least 1, got ${width}.`);
  const unique = [...new Map(candidates.map((candidate) => [candidate.id, candidate])).values()];
  const rated: T[] = [];
  for (let from = 0; from < unique.length; from += width) {
    const part = unique.slice(from, from + width);
    const ratings = await Promise.all(part.map((candidate) => options.rate(candidate)));
    rated.push(...part.map((candidate, nth) => ({ ...candidate, score: checked(candidate.id, ratings[nth]) })));
  }
  return rated.filter(({ score }) => score >= least).sort((a, b) => b.score - a.score);
}

function checked(id: string, rating: number | undefined): number {
  if (rating !== undefined && rating >= RATING.least && rating <= RATING.most) return rating;
  throw new FlyballError(
    'REPLY_INVALID',
    `The rating of ${id} is ${rating}, and ratings go from ${RATING.least} to ${RATING.most}.`,
  );
}
