import type { Embedder } from 'flyball';
import { ConfigError, FlyballError } from 'flyball';
import type { TitledDocument } from 'flyball/internal';
import type { Ranked } from 'flyball/retrieval';
import { Bm25Index, DenseIndex, DocumentLinks, HybridIndex } from 'flyball/retrieval';
import { GrepIndex } from '../../grep.js';
import type { ModelChoice, SearchKind } from './configurations.js';
import type { KnowledgeDocument, KnowledgeServices } from './knowledge.js';

/** The models that the reference's configurations name. */
const NAMED: Readonly<Record<Exclude<ModelChoice, 'given'>, string>> = {
  openai: 'text-embedding-3-large',
  qwen: 'qwen3-embedding-8b',
};

/** How Qwen's embedder wants to be asked. */
const QWEN_TASK = 'Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:';

/** What an expansion may still choose from. */
const FOUND = 50;

const never = new AbortController().signal;

/** The indexes over one knowledge base: each made when it is first asked, then shared by all environments. */
export class Indexes {
  private readonly documents: readonly KnowledgeDocument[];
  private readonly services: KnowledgeServices;
  private readonly made = new Map<string, unknown>();

  constructor(documents: readonly KnowledgeDocument[], services: KnowledgeServices) {
    this.documents = documents;
    this.services = services;
  }

  grep(pattern: string, how: { readonly limit: number; readonly caseSensitive: boolean }): readonly Ranked[] {
    return this.once('grep', () => new GrepIndex(this.searched())).search({ pattern, ...how });
  }

  /** `limit` may be negative, as in a slice of Python's: then so many are left out at the end. */
  async search(
    kind: SearchKind,
    query: string,
    { model, limit }: { readonly model: ModelChoice; readonly limit: number },
  ): Promise<readonly Ranked[]> {
    if (kind !== 'hybrid') return (await this.ranked(kind, query, model)).slice(0, limit);
    const index = await this.later('hybrid', () => HybridIndex.of(this.titled(), this.embedding(this.embedder(model))));
    const links = this.once('links', () => new DocumentLinks(this.titled()));
    const found = await index.search(query, { limit: Math.max(limit, FOUND), signal: never });
    return links.expand(query, found, { limit });
  }

  /** All documents, best first. */
  private async ranked(kind: 'bm25' | 'dense', query: string, model: ModelChoice): Promise<readonly Ranked[]> {
    const limit = this.documents.length;
    switch (kind) {
      case 'bm25':
        return this.once('bm25', () => new Bm25Index(this.searched())).search(query, limit);
      case 'dense': {
        const embedder = this.embedder(model);
        const index = await this.later('dense', () => DenseIndex.of(this.searched(), this.embedding(embedder)));
        const asked = model === 'qwen' ? QWEN_TASK + query : query;
        return index.search(asked, { embedder, limit, signal: never });
      }
    }
  }

  private searched(): readonly { readonly id: string; readonly text: string }[] {
    return this.once('searched', () => this.documents.map(({ id, content }) => ({ id, text: content })));
  }

  private titled(): readonly TitledDocument[] {
    return this.once('titled', () => this.documents.map(({ id, title, content }) => ({ id, title, text: content })));
  }

  private embedding(embedder: Embedder): Parameters<typeof DenseIndex.of>[1] {
    const { vectors } = this.services;
    return { embedder, signal: never, ...(vectors === undefined ? {} : { cache: vectors }) };
  }

  private embedder(model: ModelChoice): Embedder {
    const { embedder } = this.services;
    if (embedder === undefined)
      throw new ConfigError(
        'This retrieval configuration searches by meaning and needs an embedder: give one, or choose bm25 or grep_only.',
      );
    if (model === 'given' || embedder.id.toLowerCase().includes(NAMED[model])) return embedder;
    throw new FlyballError(
      'CONFIG_INVALID',
      `This retrieval configuration says that it uses ${NAMED[model]}, but the embedder is ${embedder.id}. Give that model, or choose dense, hybrid or alltools-local.`,
    );
  }

  private once<T>(name: string, make: () => T): T {
    if (!this.made.has(name)) this.made.set(name, make());
    return this.made.get(name) as T;
  }

  /** What failed is tried again by the next who asks. */
  private later<T>(name: string, make: () => Promise<T>): Promise<T> {
    return this.once(name, () =>
      make().catch((error: unknown) => {
        this.made.delete(name);
        throw error;
      }),
    );
  }
}
