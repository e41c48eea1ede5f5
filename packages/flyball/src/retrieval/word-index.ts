import { SAYING_NOTHING } from './terms.js';
import { wordsOf } from './words.js';

/** How much a repeated word adds, and how much a long piece is held back: the usual values. */
const K1 = 1.2;
const B = 0.75;

export interface WordScore {
  /** 0 to 1, against a piece that would hold every word of the query again and again. */
  readonly score: number;
  /** 0 to 1: how much of what the query asks for the piece holds at all, rare words counting more. */
  readonly coverage: number;
}

/** Okapi BM25 over a fixed list of texts. */
export class WordIndex {
  private readonly counts: readonly ReadonlyMap<string, number>[];
  private readonly lengths: readonly number[];
  private readonly holders = new Map<string, number>();
  private readonly average: number;

  constructor(texts: readonly string[]) {
    const words = texts.map(wordsOf);
    this.lengths = words.map(({ length }) => length);
    this.average = this.lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, texts.length);
    this.counts = words.map(counted);
    for (const counts of this.counts)
      for (const word of counts.keys()) this.holders.set(word, (this.holders.get(word) ?? 0) + 1);
  }

  /** One for each text, in order. */
  scores(query: string): readonly WordScore[] {
    const weights = new Map(queryWords(query).map((word) => [word, this.weightOf(word)]));
    const total = [...weights.values()].reduce((sum, weight) => sum + weight, 0);
    return this.counts.map((counts, index) => {
      if (total === 0) return { score: 0, coverage: 0 };
      let [score, covered] = [0, 0];
      for (const [word, weight] of weights) {
        const count = counts.get(word) ?? 0;
        if (count === 0) continue;
        const length = 1 - B + (B * (this.lengths[index] ?? 0)) / this.average;
        score += (weight * count) / (count + K1 * length);
        covered += weight;
      }
      return { score: score / total, coverage: covered / total };
    });
  }

  private weightOf(word: string): number {
    const holders = this.holders.get(word) ?? 0;
    return Math.log(1 + (this.counts.length - holders + 0.5) / (holders + 0.5));
  }
}

/** All of them where the query has no others: "the who" may be meant. */
function queryWords(query: string): readonly string[] {
  const words = [...new Set(wordsOf(query))];
  const telling = words.filter((word) => !SAYING_NOTHING.has(word));
  return telling.length > 0 ? telling : words;
}

function counted(words: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
