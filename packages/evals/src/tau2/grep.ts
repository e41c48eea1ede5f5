import { ConfigError } from 'flyball';
import { bestOf, hasNoWords } from 'flyball/internal';
import type { Ranked, SearchedDocument } from 'flyball/retrieval';
import { codePoints, pythonPattern } from './python-pattern/pattern.js';

/** A pattern to look for in documents. */
export interface GrepQuery {
  readonly pattern: string;
  /** False where absent. */
  readonly caseSensitive?: boolean;
  readonly limit: number;
}

/** Enough for any sensible pattern over a few megabytes; a second or so where it is used up. */
const STEPS = 20_000_000;

/**
 * Counts matches of a pattern in Python's `re` syntax, in every document. A pattern that Python refuses to compile is
 * searched for literally. There is a bound on steps: one of the patterns whose cost grows exponentially with the text ends
 * in EFFECT_FAILED, which says so, after a second or so, and no sooner or later on a busy machine, because steps are
 * counted and not time.
 */
export class GrepIndex {
  private readonly ids: readonly string[];
  private readonly texts: readonly Uint32Array[];
  private readonly steps: number;

  constructor(documents: readonly SearchedDocument[], options: { readonly steps?: number } = {}) {
    const { steps = STEPS } = options;
    if (!(Number.isInteger(steps) && steps >= 1)) throw new ConfigError(`steps must be at least 1, got ${steps}.`);
    this.ids = documents.map(({ id }) => id);
    this.texts = documents.map(({ text }) => codePoints(text));
    this.steps = steps;
  }

  /** Documents with most matches first, of equal ones the earlier first; those without a match are left out. */
  search({ pattern, caseSensitive = false, limit }: GrepQuery): readonly Ranked[] {
    if (hasNoWords(pattern)) return [];
    const compiled = pythonPattern(pattern, { ignoreCase: !caseSensitive });
    const fuel = { left: this.steps };
    const counts = this.texts.map((text) => compiled.count(text, fuel));
    return bestOf(counts, limit)
      .filter((at) => (counts[at] ?? 0) > 0)
      .map((at) => ({ id: this.ids[at] ?? '', score: counts[at] ?? 0 }));
  }
}
