import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Run } from '../../core/run.js';
import type { Evidence, EvidenceBundle } from '../../core/work.js';
import type { Retriever } from '../../ports/retriever.js';

export interface GatherOptions {
  /** Pieces that one query may bring. */
  readonly limit: number;
  /** Characters of all pieces together. 60,000 where absent. */
  readonly maxCharacters?: number;
}

const MAX_CHARACTERS = 60_000;
const MOST_QUERIES = 40;
const TRUSTS: readonly string[] = ['system', 'user', 'model', 'outside'];

/**
 * Asks each query once, as a step of the run: a replay finds what was found. A piece that several queries bring is kept
 * once, under the query it fits best; where all of them are too much, every query keeps its best before any gets more.
 * Queries without an answer are the gaps.
 */
export async function gatherEvidence(
  run: Run,
  retriever: Retriever,
  queries: readonly string[],
  options: GatherOptions,
): Promise<EvidenceBundle> {
  const { limit, maxCharacters = MAX_CHARACTERS } = options;
  if (!(Number.isInteger(limit) && limit >= 1 && maxCharacters > 0))
    throw new ConfigError(`limit and maxCharacters must be at least 1, got ${limit} and ${maxCharacters}.`);
  const asked = distinct(queries);
  const found: (readonly Evidence[])[] = [];
  for (const query of asked.slice(0, MOST_QUERIES)) found.push(await ask(run, retriever, query, limit));
  const { items, dropped } = bounded(bestOnce(found), maxCharacters);
  const unasked = asked.length - found.length;
  if (dropped + unasked > 0) run.note({ kind: 'evidence-bounded', dropped, unasked, kept: items.length });
  return { items, gaps: asked.filter((_query, at) => (found[at] ?? []).length === 0) };
}

function distinct(queries: readonly string[]): readonly string[] {
  const folded = (query: string): string => query.replace(/\s+/g, ' ').trim().toLowerCase();
  const seen = new Set(['']);
  return queries.flatMap((query) => {
    if (seen.has(folded(query))) return [];
    seen.add(folded(query));
    return [query.trim()];
  });
}

async function ask(run: Run, retriever: Retriever, query: string, limit: number): Promise<readonly Evidence[]> {
  const pieces = await run.step(
    'retrieve',
    { query, retriever: retriever.name, limit },
    async (input, how) => {
      const answered = await retriever.retrieve(input.query, { limit: input.limit, signal: how.signal });
      return answered.slice(0, input.limit).map((piece) => checked(piece, retriever.name));
    },
    'pure',
  );
  return pieces.filter(({ text }) => text.trim() !== '');
}

/** A piece without its provenance is no evidence, however well it fits. */
function checked(piece: Evidence, name: string): Evidence {
  const { id, text, source, place, query, score, authority, trust } = piece;
  const isNamed = [id, source, place, query].every((field) => typeof field === 'string' && field.trim() !== '');
  if (isNamed && typeof text === 'string' && Number.isFinite(score) && TRUSTS.includes(trust))
    return { id, text, source, place, query, score, authority: authority === true, trust };
  throw new FlyballError(
    'EFFECT_FAILED',
    `Retriever ${name} answered with a piece that lacks its id, source, place, query, score or trust. Fix it; retrieverContract shows what it must hold.`,
    { detail: { retriever: name, id: String(id) } },
  );
}

/** The first of every query, then the second of every query, and so on; each piece where it fits best. */
function bestOnce(found: readonly (readonly Evidence[])[]): readonly Evidence[] {
  const best = new Map<string, Evidence>();
  for (const piece of found.flat())
    if (piece.score > (best.get(piece.id)?.score ?? Number.NEGATIVE_INFINITY)) best.set(piece.id, piece);
  const longest = Math.max(0, ...found.map(({ length }) => length));
  const inTurn = Array.from({ length: longest }, (_none, nth) => found.flatMap((pieces) => pieces[nth] ?? [])).flat();
  const ids = new Set(inTurn.map(({ id }) => id));
  return [...ids].flatMap((id) => best.get(id) ?? []);
}

/** A piece is kept whole or not at all: its id stands for its text. */
function bounded(
  pieces: readonly Evidence[],
  most: number,
): { readonly items: readonly Evidence[]; readonly dropped: number } {
  let left = most;
  const items = pieces.filter(({ text }) => {
    if (text.length > left) return false;
    left -= text.length;
    return true;
  });
  return { items, dropped: pieces.length - items.length };
}

export interface MergeOptions {
  /** Is told what had to be dropped. */
  readonly run?: Run;
  /** Characters of all pieces together, however often something was looked for. 60,000 where absent. */
  readonly maxCharacters?: number;
}

/**
 * What was known and what was found since: each piece once, and only gaps that nothing has filled. Where both are too
 * much, every query keeps its best before any gets more; what is kept stays in its order.
 */
export function mergeEvidence(
  known: EvidenceBundle,
  fresh: EvidenceBundle,
  { run, maxCharacters = MAX_CHARACTERS }: MergeOptions = {},
): EvidenceBundle {
  const pieces = [...new Map([...known.items, ...fresh.items].map((piece) => [piece.id, piece])).values()];
  const { items, dropped } = bounded(bestFirst(pieces), maxCharacters);
  if (dropped > 0) run?.note({ kind: 'evidence-bounded', dropped, unasked: 0, kept: items.length });
  const kept = new Set(items);
  const answered = new Set(pieces.map(({ query }) => query)); // a piece without room was an answer nevertheless
  const gaps = [...new Set([...known.gaps, ...fresh.gaps])].filter((query) => !answered.has(query));
  return { items: pieces.filter((piece) => kept.has(piece)), gaps };
}

/** The best of every query by score, then the second of every query, and so on. */
function bestFirst(pieces: readonly Evidence[]): readonly Evidence[] {
  const seen = new Map<string, number>();
  const ranked = pieces
    .toSorted((a, b) => b.score - a.score)
    .map((piece) => {
      const nth = seen.get(piece.query) ?? 0;
      seen.set(piece.query, nth + 1);
      return { piece, nth };
    });
  return ranked.sort((a, b) => a.nth - b.nth).map(({ piece }) => piece); // stable: by score among equals
}
