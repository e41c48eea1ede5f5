/** How it is told from an output alone that it does what is forbidden. */
export type ProhibitionCheck =
  /** Found anywhere in the whole output, it is a breach. */
  | { readonly kind: 'pattern'; readonly pattern: RegExp }
  /** A session of its own reads the output. */
  | { readonly kind: 'judged' }
  /** A guard elsewhere holds it, such as a tool policy: named here so that the list stays complete. */
  | { readonly kind: 'enforced'; readonly by: string };

/** Something an output must not do. */
export interface Prohibition {
  readonly id: string;
  /** What must not be in an output. */
  readonly forbid: string;
  /** What to do in its place; null where there is nothing to do. A bare "do not" makes a model think of it. */
  readonly instead: string | null;
  readonly reason: string;
  /** `judged` where it is absent. */
  readonly check?: ProhibitionCheck;
  /** It must never come through: then code has to hold it, words are not enough. */
  readonly guarantee?: boolean;
  /** Repeated at the end of the setup. */
  readonly critical?: boolean;
}
