import { Bm25Index } from './bm25.js';
import { DenseIndex } from './dense.js';
import { fuse } from './fusion.js';
import type { Ranked } from './ranked.js';

interface Titled {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

type Embedding = Parameters<typeof DenseIndex.of>[1];

/** Words and meaning together, joined by rank. */
export class HybridIndex {
  private readonly lexical: Bm25Index;
  private readonly dense: DenseIndex;
  private readonly embedding: Embedding;

  private constructor(lexical: Bm25Index, dense: DenseIndex, embedding: Embedding) {
    this.lexical = lexical;
    this.dense = dense;
    this.embedding = embedding;
  }

  static async of(documents: readonly Titled[], embedding: Embedding): Promise<HybridIndex> {
    const texts = documents.map(({ id, title, text }) => ({ id, text: `${title}\n${text}` }));
    return new HybridIndex(new Bm25Index(texts), await DenseIndex.of(texts, embedding), embedding);
  }

  async search(query: string, { limit, signal }: { readonly limit: number; readonly signal: AbortSignal }): Promise<readonly Ranked[]> {
    const { embedder } = this.embedding;
    const meaning = await this.dense.search(query, { embedder, limit: 100, signal });
    return fuse([this.lexical.search(query, 100), meaning]).slice(0, limit);
  }
}
