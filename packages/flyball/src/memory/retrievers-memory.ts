import { evidenceId } from '../core/evidence-id.js';
import type { Run } from '../core/run.js';
import type { Evidence } from '../core/work.js';
import type { Retriever } from '../ports/retriever.js';
import type { MemoryKind } from './items.js';
import type { FullEntry } from './levels.js';
import type { MemoryOptions } from './memory.js';
import { search } from './search.js';
import { placeFor } from './shelf.js';

/** Options of `memoryRetriever`. */
export interface MemoryRetrieverOptions {
  /** `memory` where absent. */
  readonly name?: string;
  /** All but the run's own working memory where absent: what the run has at hand is no evidence for it. */
  readonly kinds?: readonly MemoryKind[];
  /** Items of a conversation are found only by its id. */
  readonly session?: string;
  /** All of these. */
  readonly tags?: readonly string[];
  /** What fits less is no evidence. 0.2 where absent. */
  readonly minScore?: number;
  /** Which items settle facts. None where absent: to have remembered something makes it no authority. */
  authority?(item: FullEntry): boolean;
}

const KINDS: readonly MemoryKind[] = ['session', 'episodic', 'semantic', 'procedural'];
const MIN_SCORE = 0.2;
/** A search gives no more at once. */
const MOST_RECALLED = 50;

/**
 * Finds evidence in the memory of one run's tenant and subject: whose it is comes from the run and cannot be chosen by a
 * query. `of` is what `memory(…)` is made of. Made inside the run, like the tool with which a model recalls.
 */
export function memoryRetriever(
  of: MemoryOptions,
  run: Pick<Run, 'id' | 'tenant' | 'subject'>,
  options: MemoryRetrieverOptions = {},
): Retriever {
  const { name = 'memory', kinds = KINDS, session, tags, minScore = MIN_SCORE, authority = () => false } = options;
  const asking = { place: placeFor(run, of.shared), run: run.id };
  return {
    name,
    async retrieve(query, { limit, signal }) {
      signal.throwIfAborted();
      if (limit < 1 || query.trim() === '') return [];
      const wanted = {
        query,
        level: 'full',
        topK: Math.min(limit, MOST_RECALLED),
        kinds,
        minScore,
        ...(session === undefined ? {} : { session }),
        ...(tags === undefined ? {} : { tags }),
      } as const;
      const { items } = await search(of, asking, wanted, { key: '', signal });
      return items.map((item) => evidenceOf(item as FullEntry, query, authority)); // as asked for: whole
    },
  };
}

function evidenceOf(item: FullEntry, query: string, authority: (item: FullEntry) => boolean): Evidence {
  const source = `memory:${item.id}`;
  const place = `version ${item.version}${item.source === undefined ? '' : `, from ${item.source}`}`;
  return {
    id: evidenceId(source, place, item.content),
    text: item.content,
    source,
    place,
    query,
    score: item.score ?? 0,
    authority: authority(item),
    trust: item.trust,
  };
}
