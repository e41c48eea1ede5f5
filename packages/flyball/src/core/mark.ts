import { roundTrip } from './codec.js';
import { ConfigError } from './errors.js';

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

/** Names that end in a dot and a number are those of branches, children and patterns, which are numbered by the run. */
export function isScopeName(name: string): boolean {
  return /^[\w.-]+$/.test(name) && !/\.\d+$/.test(name);
}

/** Marks that were checked and cannot change any more. */
const fixed = new WeakSet<Mark>();

/**
 * The mark as the journal will have it. What cannot be stored fails here, on replay too. A pattern fixes its mark when it
 * is built, so that its thousandth use does not pay for a check again.
 */
export function fixedMark(mark: Mark): Mark {
  if (fixed.has(mark)) return mark;
  const { pattern, predicted } = mark;
  if (!isScopeName(pattern))
    throw new ConfigError(
      `The name of a pattern can contain letters, digits, "_", "-" and ".", and must not end in a dot and a number: got "${pattern}".`,
    );
  if (predicted !== undefined && !(predicted.min >= 0 && predicted.max >= predicted.min))
    throw new ConfigError(
      `${pattern} predicts ${predicted.min} to ${predicted.max} model calls. Give numbers of at least 0, the smaller one first.`,
    );
  const copy = frozen(roundTrip(mark));
  fixed.add(copy);
  return copy;
}

function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) frozen(part);
  return Object.freeze(value);
}
