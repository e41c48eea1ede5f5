import { done, type Outcome } from '../../core/outcome.js';
import type { Agent } from '../../core/run.js';
import type { Session } from '../../core/session.js';
import type { Evidence } from '../../core/work.js';
import { checkCounts, checkGiven } from '../../kit/options.js';
import { pattern } from '../../kit/pattern.js';
import { fuse } from '../../retrieval/fusion.js';
import { type Lookup, lookUp } from '../lookup.js';
import type { Described } from '../use.js';
import { checkPlain } from './plain-session.js';
import { type FollowUp, mostKeys, searchKeys, type Transformation } from './search-keys.js';

/** Who takes part in `withQueryRewriting`. */
export interface QueryRewritingParts {
  /** Makes the search keys. A small model will do. No tools, no output schema. */
  readonly rewriter: Session;
}

/** Options of `withQueryRewriting`. */
export interface QueryRewritingOptions {
  readonly how: Transformation;
  /** Keys of `multi` at most. */
  readonly keys?: number;
  /** Pieces that come back at most. */
  readonly limit?: number;
}

/**
 * Turns a poor question into better search keys first.
 *
 * Model calls: `rewriter + retrievals × lookup`; a retriever makes none. Every key is searched for, and what the searches
 * find is joined by rank, each piece once. Where a key lost a number or a name of the question, the question is searched
 * for as it was asked. Not for questions that already find what they need: measure first. Whoever answers gets the
 * question, never a key.
 *
 * @pattern K2
 * @example
 * ```ts
 * const sources = withQueryRewriting(library, { rewriter: small }, { how: 'multi' });
 * ```
 */
export function withQueryRewriting(
  lookup: Lookup,
  { rewriter }: QueryRewritingParts,
  { how, keys = 3, limit = 5 }: QueryRewritingOptions,
): Described<Agent<string | FollowUp, readonly Evidence[]>> {
  checkGiven('withQueryRewriting (K2)', { lookup, rewriter, how });
  checkCounts('withQueryRewriting (K2)', { keys, limit });
  checkPlain('withQueryRewriting (K2)', { rewriter });
  const about = {
    id: 'K2',
    name: 'withQueryRewriting',
    ownBest: true, // what one key found is not what all have found
    params: { how, keys, limit },
    parts: { lookup, rewriter },
    calls: {
      sum: [
        { part: 'rewriter' },
        { times: [{ fact: 'retrievals', least: 1, most: mostKeys(how, keys) }, { part: 'lookup' }] },
      ],
    },
  } as const;
  return pattern(about, async (run, question: string | FollowUp): Promise<Outcome<readonly Evidence[]>> => {
    const found = await searchKeys(run, question, { rewriter, how, keys });
    run.learned({ ...found, retrievals: found.keys.length });
    const lists: (readonly Evidence[])[] = [];
    for (const key of found.keys) {
      const one = await lookUp(run, lookup, key, limit);
      if ('ended' in one) return one.ended;
      lists.push(one.evidence);
    }
    return done(joined(lists, limit));
  });
}

/** By reciprocal rank. Pieces keep the query that found them; their score is the joined one. */
function joined(lists: readonly (readonly Evidence[])[], limit: number): readonly Evidence[] {
  const pieces = new Map<string, Evidence>();
  for (const piece of lists.flat()) if (!pieces.has(piece.id)) pieces.set(piece.id, piece);
  return fuse(lists)
    .slice(0, limit)
    .flatMap(({ id, score }) => {
      const piece = pieces.get(id);
      return piece === undefined ? [] : [{ ...piece, score }];
    });
}
