import { ConfigError } from '../core/errors.js';

/** A document and how well it fits, in whatever unit the searcher counts. */
export interface Ranked {
  readonly id: string;
  readonly score: number;
}

/** What is searched. */
export interface SearchedDocument {
  readonly id: string;
  readonly text: string;
}

/**
 * The positions of the best scores, best first; of equal ones the earlier first. Sorting only what can still win keeps a
 * search for ten among thousands cheap.
 */
export function bestOf(scores: ArrayLike<number>, limit: number): readonly number[] {
  const most = Math.max(0, Math.trunc(limit));
  const order = Array.from({ length: scores.length }, (_none, index) => index);
  order.sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  return order.slice(0, most);
}

/** The ids of documents. Two under one id would be found as one: whoever indexes them is told at once. */
export function distinctIds(documents: readonly { readonly id: string }[]): readonly string[] {
  const seen = new Set<string>();
  for (const { id } of documents) {
    if (seen.has(id)) throw new ConfigError(`Two documents have the id "${id}". Give each an id of its own.`);
    seen.add(id);
  }
  return [...seen];
}
