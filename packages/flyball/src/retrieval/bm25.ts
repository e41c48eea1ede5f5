import { ConfigError } from '../core/errors.js';
import { bestOf, distinctIds, type Ranked, type SearchedDocument } from './ranked.js';
import { hasNoWords, whitespaceWords } from './whitespace-words.js';

/** Options of `Bm25Index`. */
export interface Bm25Options {
  /** How much a repeated word adds. 1.5 where absent. */
  readonly k1?: number;
  /** How much a long document is held back, from 0 to 1. 0.75 where absent. */
  readonly b?: number;
  /** What share of the mean rarity a word counts that stands in more than half of the documents. 0.25 where absent. */
  readonly epsilon?: number;
  /** Lower-cased and cut at whitespace where absent, punctuation kept. */
  readonly words?: (text: string) => readonly string[];
}

/** Where a word occurs: positions of documents and how often, side by side. */
interface Posting {
  readonly documents: number[];
  readonly counts: number[];
  rarity: number;
}

/**
 * Okapi BM25 with the rarity of the reference benchmark: ln(N - f + 0.5) - ln(f + 0.5), and where that is negative, a share
 * of the mean rarity, which is taken before the replacement. Sums run in the order of the query's words, a repeated word
 * counting again, so that the scores agree to the last places.
 */
export class Bm25Index {
  private readonly ids: readonly string[];
  private readonly postings = new Map<string, Posting>();
  /** What a count is added to in the denominator, for each document. */
  private readonly damping: Float64Array;
  private readonly k1: number;
  private readonly words: (text: string) => readonly string[];

  constructor(documents: readonly SearchedDocument[], options: Bm25Options = {}) {
    const { k1 = 1.5, b = 0.75, epsilon = 0.25, words = whitespaceWords } = options;
    if (!(k1 >= 0 && b >= 0 && b <= 1 && epsilon >= 0))
      throw new ConfigError(`BM25 needs k1 >= 0, b from 0 to 1 and epsilon >= 0, got ${k1}, ${b} and ${epsilon}.`);
    this.ids = distinctIds(documents);
    this.k1 = k1;
    this.words = words;
    const lengths = documents.map(({ text }, at) => this.take(words(text), at));
    const average = lengths.reduce((sum, length) => sum + length, 0) / documents.length;
    this.damping = Float64Array.from(lengths, (length) => k1 * (1 - b + (b * length) / average));
    this.rate(epsilon);
  }

  get size(): number {
    return this.ids.length;
  }

  /** One for each document, in order. */
  scores(query: string): Float64Array {
    const scores = new Float64Array(this.ids.length);
    for (const word of this.words(query)) {
      const posting = this.postings.get(word);
      if (posting === undefined) continue;
      for (const [nth, at] of posting.documents.entries()) {
        const count = posting.counts[nth] ?? 0;
        scores[at] = (scores[at] ?? 0) + posting.rarity * ((count * (this.k1 + 1)) / (count + (this.damping[at] ?? 0)));
      }
    }
    return scores;
  }

  /** The best `limit` documents, of equal ones the earlier first. Those without any of the words are among them. */
  search(query: string, limit: number): readonly Ranked[] {
    if (hasNoWords(query)) return [];
    const scores = this.scores(query);
    return bestOf(scores, limit).map((at) => ({ id: this.ids[at] ?? '', score: scores[at] ?? 0 }));
  }

  /** Counts a document's words; returns how many there are. */
  private take(words: readonly string[], at: number): number {
    const counts = new Map<string, number>();
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
    for (const [word, count] of counts) {
      const posting = this.postings.get(word);
      if (posting === undefined) this.postings.set(word, { documents: [at], counts: [count], rarity: 0 });
      else {
        posting.documents.push(at);
        posting.counts.push(count);
      }
    }
    return words.length;
  }

  private rate(epsilon: number): void {
    let sum = 0;
    for (const posting of this.postings.values()) {
      const holders = posting.documents.length;
      posting.rarity = Math.log(this.ids.length - holders + 0.5) - Math.log(holders + 0.5);
      sum += posting.rarity;
    }
    const floor = epsilon * (sum / this.postings.size);
    for (const posting of this.postings.values()) if (posting.rarity < 0) posting.rarity = floor;
  }
}
