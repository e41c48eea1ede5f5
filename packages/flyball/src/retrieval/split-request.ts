import { ConfigError } from '../core/errors.js';
import { hasNoWords } from './whitespace-words.js';

/** Options of `splitRequest`. */
export interface SplitOptions {
  /** No more parts than this. 8 where absent. */
  readonly most?: number;
  /** Parts with fewer words say too little to be searched for. 3 where absent. */
  readonly leastWords?: number;
}

const MOST = 8;
const LEAST_WORDS = 3;

/**
 * Cuts a request into the things it asks for, without a model: at the ends of sentences, at list items and lines, and
 * where a second wish begins in the same sentence. Parts that repeat one another are given once, in their order. A
 * request with one thing in it comes back as it is.
 */
export function splitRequest(request: string, options: SplitOptions = {}): readonly string[] {
  const { most = MOST, leastWords = LEAST_WORDS } = options;
  if (!(Number.isInteger(most) && most >= 1)) throw new ConfigError(`most must be at least 1, got ${most}.`);
  if (hasNoWords(request)) return [];
  const parts = request
    .replace(/\*\*|__/g, '')
    .split(/\n+/)
    .map((line) => line.replace(/^\s*(?:#{1,6}|[-*•]|\d{1,2}[.)])\s+/, ''))
    .flatMap((line) => line.split(SENTENCE_END))
    .flatMap((sentence) => sentence.split(NEXT_WISH))
    .map((part) => part.trim())
    .filter((part) => part.split(/\s+/).length >= leastWords);
  const unique = [...new Map(parts.map((part) => [part.toLowerCase(), part])).values()];
  return unique.length === 0 ? [request.trim()] : unique.slice(0, most);
}

const SENTENCE_END = /(?<=[.!?]["”’)]?)\s+(?=["“‘(\p{Lu}\p{N}])/u;
/** Blanks are tried from the first of them only: from each, a question of many blanks would take their square. */
const NEXT_WISH =
  /;\s+|,?(?<!\s)\s+(?:and|but|then)\s+(?=(?:also|then|I|could|can|please|would|my|what|how|when|whether)\b)/iu;
