import { beforeAll, expect, it } from 'vitest';
import { documentsIn, type GoldTask, requestsOf, tasksIn } from '../../bench/measure/gold-documents.js';
import { Bm25Index } from '../../packages/flyball/src/retrieval/bm25.js';
import { DenseIndex } from '../../packages/flyball/src/retrieval/dense.js';
import { hashEmbedder } from '../../packages/flyball/src/retrieval/hash-embedder.js';
import { HybridIndex } from '../../packages/flyball/src/retrieval/hybrid.js';
import type { Ranked } from '../../packages/flyball/src/retrieval/ranked.js';
import { tau2, withTau2 } from './tau2-data.js';

const { signal } = new AbortController();

type Search = (query: string) => Promise<readonly Ranked[]> | readonly Ranked[];

/** For each task the share of its gold documents among the first ten. */
async function recalls(tasks: readonly GoldTask[], search: Search): Promise<readonly number[]> {
  const shares: number[] = [];
  for (const { instructions, gold } of tasks) {
    const found = (await search(requestsOf(instructions).join(' '))).slice(0, 10);
    shares.push(found.filter(({ id }) => gold.has(id)).length / gold.size);
  }
  return shares;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** With the embedder that only sees spelling: it needs no weights. `npm run bench -- retrieval-recall` has the real one. */
withTau2('searching for what users ask', () => {
  const embedder = hashEmbedder({ dimensions: 64 });
  let searches: { readonly hybrid: Search; readonly words: Search; readonly vectors: Search };
  let tasks: readonly GoldTask[];
  beforeAll(async () => {
    const folder = `${tau2().data}/domains/banking_knowledge`;
    const documents = documentsIn(folder);
    tasks = tasksIn(folder);
    const bm25 = new Bm25Index(documents);
    const dense = await DenseIndex.of(documents, { embedder, signal });
    const hybrid = await HybridIndex.of(documents, { embedder, signal });
    searches = {
      hybrid: (query) => hybrid.search(query, { limit: 10, signal }),
      words: (query) => bm25.search(query, 10),
      vectors: (query) => dense.search(query, { embedder, limit: 10, signal }),
    };
  });

  it('finds more of the documents a task needs by both than by either, on all tasks and on each half [R5-RET-RECALL]', async () => {
    expect(tasks).toHaveLength(97);
    const both = await recalls(tasks, searches.hybrid);
    const alone = [await recalls(tasks, searches.words), await recalls(tasks, searches.vectors)];
    const parts = [() => true, (nth: number) => nth % 2 === 0, (nth: number) => nth % 2 === 1];
    for (const isIn of parts)
      for (const one of alone) {
        const of = (shares: readonly number[]): number => mean(shares.filter((_share, nth) => isIn(nth)));
        expect(of(both)).toBeGreaterThan(1.5 * of(one));
      }
  });
});
