/**
 * Why something ended short of what was asked, as a program reads it: what each code comes with. Your own are added by
 * merging:
 *
 * ```ts
 * declare module 'flyball' {
 *   interface Reasons {
 *     'over-quota': { readonly team: string };
 *   }
 * }
 * ```
 */
export interface Reasons {
  /** Samples or judges did not agree enough. `agreement` is 0 to 1, `needed` what would have been enough. */
  uncertain: { readonly agreement: number; readonly needed?: number };
  /** Too few of those asked have answered. */
  quorum: { readonly need: number; readonly got: number };
  /** Further rounds brought nothing new. */
  stalled: { readonly rounds: number };
  /** Nobody agreed to what somebody else proposed. */
  'no-deal': { readonly rounds: number };
  /** Nobody answers for what was asked about. */
  'no-owner': { readonly asked: string };
  /** Nothing fits the input, or nothing surely enough. */
  'no-match': { readonly label?: string; readonly confidence?: number };
  /** Everything that there was to try has been tried. */
  exhausted: { readonly tried: number };
  /** A tool handed the work over: whoever goes on reads the package. */
  transfer: { readonly tool: string; readonly package: unknown };
  /** Whoever had to approve it did not. */
  unapproved: { readonly rounds?: number; readonly by?: string };
}

/** The code of a reason. */
export type ReasonCode = keyof Reasons;

/** A reason with what its code comes with. `switch (reason.code)` narrows `reason.data`. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  readonly [C in Code]: { readonly code: C; readonly data: Reasons[C] };
}[Code];
