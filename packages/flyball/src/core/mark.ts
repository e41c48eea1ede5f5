/** Which pattern a scope is, for whoever reads the journal. */
export interface Mark {
  /** Its name in scope paths: `/selfConsistency.0`. Letters, digits, `_`, `-` and `.`, not ending in a dot and a number. */
  readonly pattern: string;
  /** What it was told: plain data. */
  readonly params?: Readonly<Record<string, unknown>>;
  /** How many model calls it is going to make. Equal where its formula has no unknowns. */
  readonly predicted?: { readonly min: number; readonly max: number };
  /**
   * Its parts answer something else than it does itself: what they tell with `run.best` is not its partial value. Without
   * this a pattern that tells none has that of the pattern inside it.
   */
  readonly ownBest?: true;
}
