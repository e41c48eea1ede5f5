import type { Evidence } from '../core/work.js';

/**
 * Finds evidence for queries.
 *
 * Contract, for every implementation:
 * 1. Every piece says where it comes from: source, place, the query that found it, and how far it is trusted.
 * 2. The same piece has the same id in every call (`evidenceId`).
 * 3. Best first, at most `limit` of them; a query that finds nothing returns nothing, and is no failure.
 * 4. Changes nothing: it is asked again after a crash.
 * 5. Rejects when `signal` aborts.
 */
export interface Retriever {
  readonly name: string;
  retrieve(query: string, how: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly Evidence[]>;
}
