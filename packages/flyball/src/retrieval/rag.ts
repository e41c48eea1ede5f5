import { sha256 } from '../core/canonical.js';
import { ConfigError, FlyballError } from '../core/errors.js';
import { evidenceId } from '../core/evidence-id.js';
import { append } from '../core/prompt.js';
import type { Run } from '../core/run.js';
import type { Session } from '../core/session.js';
import type { Evidence } from '../core/work.js';
import type { Embedder } from '../ports/embedder.js';
import type { Retriever } from '../ports/retriever.js';
import type { VectorCache } from '../ports/vector-cache.js';
import { type Cited, citedAnswer, NOT_COVERED } from './citations.js';
import { HybridIndex, type PassageHit } from './hybrid.js';
import { IS_DATA, numbered } from './labelled.js';
import { memoryVectors } from './memory-vectors.js';
import { rerank } from './rerank.js';
import { retrieveStep } from './transform.js';

/** A document for `vanillaRag`. */
export interface RagDocument {
  /** What it is called: a path, an address, a title. */
  readonly source: string;
  readonly title?: string;
  readonly text: string;
  readonly authority?: boolean;
  /** `outside` where absent: who puts a document into an index does not vouch for what is in it. */
  readonly trust?: Evidence['trust'];
}

/** Options of `vanillaRag`. */
export interface RagOptions {
  readonly name: string;
  readonly embedder: Embedder;
  /** Kept in memory where absent. */
  readonly cache?: VectorCache;
  /** Characters of a passage at most. 800 where absent. */
  readonly passage?: number;
  /** Rates a piece for a query from 0 to 10; asked about `candidates` pieces, of which those from 5 up stay. */
  readonly rate?: (query: string, piece: Evidence) => Promise<number>;
  /** 30 where absent. */
  readonly candidates?: number;
}

/** What an ingestion did. Only passages that were not there before are embedded. */
export interface Ingested {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: readonly string[];
  readonly embedded: number;
}

const CANDIDATES = 30;
const K = 5;
const ANSWER = `Answer from the documents only, and cite them by number, like [1]. If they do not say, reply ${NOT_COVERED}.`;

/** Documents that are searched passage by passage, and answered from. The index says what fits, never whether it is enough. */
export interface Rag extends Retriever {
  /** Adds documents, or replaces those of the same source by what they say now. */
  ingest(documents: readonly RagDocument[], how: { readonly signal: AbortSignal }): Promise<Ingested>;
  /** Whether a document says what the index holds of it. */
  isStale(document: Pick<RagDocument, 'source' | 'text'>): boolean;
  /** Asks a session once, with what was found; `k` pieces, 5 where absent. */
  answer(run: Run, question: string, how: { readonly session: Session; readonly k?: number }): Promise<Cited>;
}

/** An index over documents that answers questions with citations. */
export function vanillaRag(options: RagOptions): Rag {
  return new PassageRag(options);
}

class PassageRag implements Rag {
  readonly name: string;
  private readonly options: RagOptions & { readonly cache: VectorCache };
  private readonly documents = new Map<string, RagDocument>();
  private index: HybridIndex | undefined;

  constructor(options: RagOptions) {
    if (options.name.trim() === '') throw new ConfigError('An index needs a name, which is recorded in the journal.');
    this.name = options.name;
    this.options = { ...options, cache: options.cache ?? memoryVectors() };
  }

  async ingest(documents: readonly RagDocument[], { signal }: { readonly signal: AbortSignal }): Promise<Ingested> {
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
    const { rate, candidates = CANDIDATES } = this.options;
    const most = rate === undefined ? limit : Math.max(limit, candidates);
    const hits = await this.index.passages(query, { limit: most, signal });
    const pieces = hits.filter(({ score }) => score > 0).map((hit) => this.evidenceOf(hit, query));
    if (rate === undefined) return pieces.slice(0, Math.max(0, limit));
    return (await rerank(pieces, { rate: (piece) => rate(query, piece) })).slice(0, Math.max(0, limit));
  }

  async answer(run: Run, question: string, how: { readonly session: Session; readonly k?: number }): Promise<Cited> {
    const { session, k = K } = how;
    if (session.tools !== undefined || session.output !== undefined)
      throw new ConfigError(`The session "${session.name}" answers from what it is given: no tools and no schema.`);
    const found = await retrieveStep(run, this, question, k);
    if (found.length === 0) return { kind: 'not-covered' };
    const asked = { ...session, setup: `${session.setup}\n\n${ANSWER}\n${IS_DATA}`.trim() };
    const context = append(undefined, { role: 'user', content: numbered(found), owner: this.name, trust: 'outside' });
    const { text } = await run.ask(asked, append(context, { role: 'user', content: `The question: ${question}` }));
    return citedAnswer(text, found);
  }

  private indexOf(documents: readonly RagDocument[], signal: AbortSignal): Promise<HybridIndex> {
    const { embedder, cache, passage } = this.options;
    const titled = documents.map(({ source, title = source, text }) => ({ id: source, title, text }));
    return HybridIndex.of(titled, { embedder, cache, signal, ...(passage === undefined ? {} : { passage }) });
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
