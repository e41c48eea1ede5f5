import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Bm25Index } from '../../packages/flyball/src/retrieval/bm25.js';
import { bankingDocuments } from './banking-documents.js';
import { tau2, withTau2 } from './tau2-data.js';

interface RecordedSearch {
  readonly query: string;
  readonly results: readonly (readonly [id: string, score: number])[];
}

withTau2('BM25, against the recordings', () => {
  it('finds the same documents in the same order, with scores equal to 1e-9 [R5-RET-BM25]', () => {
    const lines = readFileSync(`${tau2().oracle}/banking_bm25.jsonl`, 'utf8').trim().split('\n').slice(1);
    expect(lines).toHaveLength(200);
    const index = new Bm25Index(bankingDocuments());
    for (const line of lines) {
      const { query, results } = JSON.parse(line) as RecordedSearch;
      const found = index.search(query, 10);
      expect(
        found.map(({ id }) => id),
        query,
      ).toEqual(results.map(([id]) => id));
      for (const [nth, [, score]] of results.entries())
        expect(Math.abs((found[nth]?.score ?? Number.NaN) - score)).toBeLessThan(1e-9);
    }
  });
});
