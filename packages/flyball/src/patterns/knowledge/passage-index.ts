import { sha256 } from '../../core/canonical.js';
import { FlyballError } from '../../core/errors.js';
import { evidenceId } from '../../core/evidence-id.js';
import type { Evidence } from '../../core/work.js';
import type { Embedder } from '../../ports/embedder.js';
import type { Retriever } from '../../ports/retriever.js';
import type { VectorCache } from '../../ports/vector-cache.js';
import { HybridIndex, type PassageHit } from '../../retrieval/hybrid.js';
import { rerank } from '../../retrieval/rerank.js';

/** A document for `rag`. */
export interface RagDocument {
  /** What it is called: a path, an address, a title. */
  readonly source: string;
  readonly title?: string;
  readonly text: string;
  readonly authority?: boolean;
  /** `outside` where absent: who puts a document into an index does not vouch for what is in it. */
  readonly trust?: Evidence['trust'];
}

/** What an ingestion did. Only passages that were not there before are embedded. */
export interface Ingested {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  readonly embedded: number;
}

/** What an index is made with. */
export interface Indexing {
  readonly name: string;
  readonly embedder: Embedder;
  readonly cache: VectorCache;
  readonly passage: number;
  readonly candidates: number;
  readonly reranker?: (query: string, piece: Evidence) => Promise<number>;
}

/** Documents by their passages. It says what fits, never whether it is enough. */
export class PassageIndex implements Retriever {
  readonly name: string;
  private readonly options: Indexing;
  private readonly documents = new Map<string, RagDocument>();
  private index: HybridIndex | undefined;

  constructor(options: Indexing) {
    this.name = options.name;
    this.options = options;
  }

  async ingest(
    documents: readonly RagDocument[],
    { signal = new AbortController().signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<Ingested> {
    const before = new Map(this.documents);
    const after = new Map([...before, ...documents.map((document) => [document.source, document] as const)]);
    // made before anything is replaced: an ingestion that fails leaves the index as it was
    const index = await this.indexOf([...after.values()], signal);
    for (const document of documents) this.documents.set(document.source, document);
    this.index = index;
    const stateOf = ({ source, text }: RagDocument): 'added' | 'changed' | 'unchanged' => {
      const held = before.get(source);
      return held === undefined ? 'added' : held.text === text ? 'unchanged' : 'changed';
    };
    const inState = (state: ReturnType<typeof stateOf>): readonly string[] =>
      documents.filter((document) => stateOf(document) === state).map(({ source }) => source);
    return {
      added: inState('added'),
      changed: inState('changed'),
      unchanged: inState('unchanged'),
      embedded: index.report.embedded,
    };
  }

  isStale({ source, text }: Pick<RagDocument, 'source' | 'text'>): boolean {
    const held = this.documents.get(source);
    return held === undefined || sha256(held.text) !== sha256(text);
  }

  async retrieve(
    query: string,
    { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
  ): Promise<readonly Evidence[]> {
    signal.throwIfAborted();
    if (this.index === undefined) return [];
    const { reranker, candidates } = this.options;
    const most = reranker === undefined ? limit : Math.max(limit, candidates);
    const hits = await this.index.passages(query, { limit: most, signal });
    const isOnly = this.index.size === 1; // scores are distances from the mean: of one passage, none
    const pieces = hits.filter(({ score }) => score > 0 || isOnly).map((hit) => this.evidenceOf(hit, query));
    if (reranker === undefined) return pieces.slice(0, Math.max(0, limit));
    const rated = await rerank(pieces, { rate: (piece) => reranker(query, piece) });
    return rated.slice(0, Math.max(0, limit));
  }

  private indexOf(documents: readonly RagDocument[], signal: AbortSignal): Promise<HybridIndex> {
    const { embedder, cache, passage } = this.options;
    const titled = documents.map(({ source, title = source, text }) => ({ id: source, title, text }));
    return HybridIndex.of(titled, { embedder, cache, signal, passage });
  }

  private evidenceOf({ id, score, passage }: PassageHit, query: string): Evidence {
    const document = this.documents.get(id);
    if (document === undefined)
      throw new FlyballError(
        'INVARIANT_BROKEN',
        `The index ${this.name} contains ${id}, which is not one of its documents.`,
      );
    const place = `characters ${passage.from}-${passage.to}`;
    return {
      id: evidenceId(id, place, passage.text),
      text: passage.text,
      source: id,
      place,
      query,
      score: Math.round(score * 1000) / 1000,
      authority: document.authority ?? false,
      trust: document.trust ?? 'outside',
    };
  }
}
