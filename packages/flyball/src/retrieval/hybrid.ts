import { ConfigError } from '../core/errors.js';
import type { Embedder } from '../ports/embedder.js';
import { Bm25Index } from './bm25.js';
import { DenseIndex, type DenseOptions } from './dense.js';
import { type Passage, passagesOf } from './passages.js';
import { bestOf, distinctIds, type Ranked } from './ranked.js';
import { splitRequest } from './split-request.js';
import { termsOf } from './terms.js';
import { hasNoWords } from './whitespace-words.js';

/** A document with a title. */
export interface TitledDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** Options of `HybridIndex`. */
export interface HybridOptions extends DenseOptions {
  /** Characters of a passage at most. 800 where absent. */
  readonly passage?: number;
}

/** A passage that fits, with where it stands. */
export interface PassageHit extends Ranked {
  readonly passage: Passage;
}

/** Options of a search. */
export interface SearchHow {
  readonly limit: number;
  readonly signal: AbortSignal;
  /** One side alone, to see what each of them is worth. Both where absent. */
  readonly by?: 'words' | 'meaning';
}

const PASSAGE = 800;
/** Sentences of a request that are embedded each by itself: a vector of a whole page points nowhere in particular. */
const MOST_PARTS = 12;
/** A passage that holds so many of a query's terms is about it. */
const TELLING_TERMS = 4;
/** What the vectors count beside the words where the words match well, and where they do not match at all. */
const VECTOR_WEIGHT = { strong: 0.2, weak: 1 };

interface Unit {
  readonly document: number;
  readonly passage: Passage;
}

/**
 * Searches by words and by meaning, passage by passage; a document is as good as its best passage. Titles and headings are
 * indexed with every passage. Both sides are brought to one scale by their spread over all passages and added up, so that
 * a passage that both favor wins over one that only one of them does. How much the vectors count depends on how well the
 * words match: a query that shares its words with the documents needs no guess at its meaning, and one that shares none
 * has nothing else.
 */
export class HybridIndex {
  private readonly documents: readonly TitledDocument[];
  private readonly units: readonly Unit[];
  private readonly words: Bm25Index;
  private readonly terms: readonly ReadonlySet<string>[];
  private readonly vectors: DenseIndex;
  private readonly embedder: Embedder;

  private constructor(parts: {
    readonly documents: readonly TitledDocument[];
    readonly units: readonly Unit[];
    readonly texts: readonly string[];
    readonly vectors: DenseIndex;
    readonly embedder: Embedder;
  }) {
    this.documents = parts.documents;
    this.units = parts.units;
    this.vectors = parts.vectors;
    this.embedder = parts.embedder;
    this.words = new Bm25Index(
      parts.texts.map((text, nth) => ({ id: String(nth), text })),
      { words: termsOf },
    );
    this.terms = parts.texts.map((text) => new Set(termsOf(text)));
  }

  static async of(
    documents: readonly TitledDocument[],
    options: HybridOptions & { readonly signal: AbortSignal },
  ): Promise<HybridIndex> {
    const { passage = PASSAGE, embedder } = options;
    if (!(Number.isInteger(passage) && passage >= 100))
      throw new ConfigError(`passage must be a whole number of at least 100, got ${passage}.`);
    distinctIds(documents);
    const units = documents.flatMap((document, nth): readonly Unit[] =>
      passagesOf(document.text, { most: passage }).map((part) => ({ document: nth, passage: part })),
    );
    const texts = units.map((unit) => shownWith(documents[unit.document]?.title ?? '', unit.passage));
    const vectors = await DenseIndex.of(
      texts.map((text, nth) => ({ id: String(nth), text })),
      options,
    );
    return new HybridIndex({ documents, units, texts, vectors, embedder });
  }

  /** Passages in the index. */
  get size(): number {
    return this.units.length;
  }

  /** What was embedded, and what the cache already had. */
  get report(): DenseIndex['report'] {
    return this.vectors.report;
  }

  /** The best documents. A query that holds nothing finds nothing. */
  async search(query: string, how: SearchHow): Promise<readonly Ranked[]> {
    const best = new Map<string, Ranked>();
    for (const { id, score } of await this.passages(query, { ...how, limit: this.units.length }))
      if (!best.has(id)) best.set(id, { id, score });
    return [...best.values()].slice(0, Math.max(0, how.limit));
  }

  /** The best passages, whichever documents they are from. */
  async passages(query: string, how: SearchHow): Promise<readonly PassageHit[]> {
    how.signal.throwIfAborted();
    if (hasNoWords(query) || this.units.length === 0) return [];
    const scores = await this.scores(query, how);
    return bestOf(scores, how.limit).map((at) => {
      const unit = this.units[at] as Unit;
      return { id: this.documents[unit.document]?.id ?? '', score: scores[at] ?? 0, passage: unit.passage };
    });
  }

  private async scores(query: string, { by, signal }: SearchHow): Promise<Float64Array> {
    const words = this.words.scores(query);
    if (by === 'words') return spread(words);
    const meaning = await this.meaning(query, signal);
    if (by === 'meaning') return meaning;
    const weights = this.weights(query, words);
    return spread(words).map((score, nth) => weights.words * score + weights.vectors * (meaning[nth] ?? 0));
  }

  /** Each sentence by itself. What one of them clearly points at counts, what all of them vaguely resemble does not. */
  private async meaning(query: string, signal: AbortSignal): Promise<Float64Array> {
    const parts = splitRequest(query, { most: MOST_PARTS, leastWords: 1 });
    const sum = new Float64Array(this.units.length);
    for (const part of parts) {
      const near = spread(await this.vectors.scores(part, this.embedder, signal));
      for (const [at, value] of near.entries())
        sum[at] = (sum[at] ?? 0) + (parts.length === 1 ? value : Math.max(0, value) ** 2);
    }
    return spread(sum);
  }

  /** By how many of the query's terms the best passage holds: from none, where only vectors can tell, to enough. */
  private weights(query: string, scores: Float64Array): { readonly words: number; readonly vectors: number } {
    const asked = new Set(termsOf(query));
    const [best = 0] = bestOf(scores, 1);
    const held = [...asked].filter((term) => this.terms[best]?.has(term) === true).length;
    const match = asked.size === 0 ? 0 : Math.min(1, held / Math.min(TELLING_TERMS, asked.size));
    const { strong, weak } = VECTOR_WEIGHT;
    return { words: match, vectors: weak + (strong - weak) * match };
  }
}

function shownWith(title: string, { headings, text }: Passage): string {
  // a heading that the passage begins with is not said twice
  const above = headings.filter((heading) => !text.includes(heading));
  return [title, ...above, text].filter((part) => part !== '').join('. ');
}

/** How many standard deviations each value lies from the mean: comparable between searchers. All zeros where all are equal. */
function spread(values: Float64Array): Float64Array {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
  return values.map((value) => (deviation === 0 ? 0 : (value - mean) / deviation));
}
