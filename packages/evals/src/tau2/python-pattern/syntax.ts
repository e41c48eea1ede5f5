/** A pattern in the syntax of Python's `re`, as a tree. Flags are resolved when it is compiled. */
export type Node =
  | { readonly kind: 'char'; readonly code: number }
  | { readonly kind: 'set'; readonly negate: boolean; readonly items: readonly SetItem[] }
  | { readonly kind: 'any' }
  | { readonly kind: 'at'; readonly where: Anchor }
  | { readonly kind: 'reference'; readonly group: number }
  | { readonly kind: 'group'; readonly group?: number; readonly flags: FlagChange; readonly body: Sequence }
  | { readonly kind: 'branch'; readonly options: readonly Sequence[] }
  | {
      readonly kind: 'repeat';
      readonly min: number;
      readonly max: number;
      readonly mode: RepeatMode;
      readonly body: Sequence;
    }
  /** `back`: how many characters before the place it looks from; 0 looks ahead. */
  | { readonly kind: 'look'; readonly back: number; readonly negative: boolean; readonly body: Sequence }
  | { readonly kind: 'atomic'; readonly body: Sequence }
  | { readonly kind: 'condition'; readonly group: number; readonly yes: Sequence; readonly no: Sequence | undefined };

export type Sequence = readonly Node[];
export type RepeatMode = 'greedy' | 'lazy' | 'possessive';
export type Category = 'digit' | 'space' | 'word';
export type Anchor = 'line-start' | 'line-end' | 'text-start' | 'text-end' | 'boundary' | 'not-boundary';

export type SetItem =
  | { readonly from: number; readonly to: number }
  | { readonly category: Category; readonly negate: boolean };

export type Flag = 'i' | 'm' | 's' | 'x' | 'a' | 'u';
export interface FlagChange {
  readonly on: ReadonlySet<Flag>;
  readonly off: ReadonlySet<Flag>;
}
export const NO_CHANGE: FlagChange = { on: new Set(), off: new Set() };

/** Without an upper bound. */
export const UNBOUNDED = 4_294_967_295;

/** Python refuses to compile the pattern. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'PatternError';
  }
}
