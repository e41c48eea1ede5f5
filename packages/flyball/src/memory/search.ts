import { FlyballError } from '../core/errors.js';
import type { EffectContext } from '../core/tool.js';
import { embedAll } from '../retrieval/vectors.js';
import { MEMORY_KINDS, type MemoryKind, prefixOf, type StoredItem } from './items.js';
import { LEVELS, type Level, type Recalled, shownAt } from './levels.js';
import { byTime, rank } from './ranking.js';
import { itemsOf, type Place } from './shelf.js';
import type { Shelf } from './write-items.js';

/** A search in memory. */
export interface RecallQuery<L extends Level = Level> {
  /** What to look for; the newest items where it is absent. */
  readonly query?: string;
  /** `index` where it is absent: a line each, from which more can be asked for by id. */
  readonly level?: L;
  /** 5 where it is absent. */
  readonly topK?: number;
  readonly kinds?: readonly MemoryKind[];
  /** Items of a conversation are found only by its id. */
  readonly session?: string;
  /** All of these. */
  readonly tags?: readonly string[];
  /** What fits less is left out; 0.1 where it is absent. */
  readonly minScore?: number;
}

/** What a search in memory found. */
export interface Recall<R extends Recalled = Recalled> {
  readonly items: readonly R[];
  /** How many items were looked at. */
  readonly searched: number;
  /** False when there were more than are looked at in one search: narrow it by kinds, session or tags. */
  readonly complete: boolean;
  /** Items embedded by another embedder, which were found by their words only. `reembed` mends that. */
  readonly otherEmbedder: number;
}

/** Whose run asks: its own working memory is the only one it sees. */
export interface Asking {
  readonly place: Place;
  readonly run: string;
}

export const TOP = 5;
const MOST = 50;
const MIN_SCORE = 0.1;
/** Exact search reads every item, so there is a bound on how many. */
const MAX_SEARCHED = 10_000;

export async function search(shelf: Shelf, asking: Asking, wanted: RecallQuery, how: EffectContext): Promise<Recall> {
  const { query = '', level = 'index', topK = TOP, tags = [], minScore = MIN_SCORE } = checked(wanted);
  const { items, complete } = await candidates(shelf, asking, wanted);
  const fitting = items.filter((item) => tags.every((tag) => item.tags.includes(tag)));
  const base = { searched: items.length, complete };
  if (query.trim() === '') {
    const newest = [...fitting].sort(byTime).slice(0, topK);
    return { ...base, items: newest.map((item) => shownAt(level, item)), otherEmbedder: 0 };
  }
  const { ranked, otherEmbedder } = rank(fitting, await queryVector(shelf, query, how), shelf.embedder);
  const best = ranked.filter(({ score }) => score >= minScore).slice(0, topK);
  return { ...base, items: best.map(({ item, score }) => shownAt(level, item, rounded(score))), otherEmbedder };
}

async function candidates(
  { store, maxSearched = MAX_SEARCHED }: Shelf,
  { place, run }: Asking,
  { kinds = MEMORY_KINDS, session }: RecallQuery,
): Promise<{ readonly items: readonly StoredItem[]; readonly complete: boolean }> {
  const items: StoredItem[] = [];
  let complete = true;
  for (const kind of new Set(kinds)) {
    if (kind === 'session' && session === undefined) continue;
    const prefix = kind === 'working' ? prefixOf(run) : kind === 'session' ? prefixOf(session ?? '') : undefined;
    const what = { kind, limit: maxSearched - items.length, ...(prefix === undefined ? {} : { prefix }) };
    const found = await itemsOf(store, place, what);
    items.push(...found.items);
    complete &&= !found.more;
  }
  return { items, complete };
}

async function queryVector(
  { embedder }: Shelf,
  text: string,
  how: EffectContext,
): Promise<{ readonly text: string; readonly vector?: Float32Array }> {
  if (embedder === undefined) return { text };
  const [vector] = await embedAll(embedder, [text], { signal: how.signal, as: 'query' });
  return vector === undefined ? { text } : { text, vector };
}

function checked(query: RecallQuery): RecallQuery {
  const { topK = TOP, level = 'index' } = query;
  if (!Number.isInteger(topK) || topK < 1 || topK > MOST)
    throw new FlyballError('INPUT_INVALID', `topK is a whole number from 1 to ${MOST}, got ${topK}.`);
  if (!LEVELS.includes(level))
    throw new FlyballError('INPUT_INVALID', `A level is one of ${LEVELS.join(', ')}, got ${String(level)}.`);
  return query;
}

/** Digits beyond these say nothing and would only make the journal longer. */
function rounded(score: number): number {
  return Math.round(score * 1000) / 1000;
}
