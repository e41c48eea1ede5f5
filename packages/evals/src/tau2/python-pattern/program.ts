import type { Unit } from './unit.js';

/**
 * A compiled pattern: instructions for the machine. Each one names what comes next, so that nothing depends on the order
 * in which they were written.
 */
export type Instruction =
  | { readonly op: 'unit'; readonly unit: Unit }
  | { readonly op: 'jump'; readonly to: number }
  | { readonly op: 'split'; readonly otherwise: number }
  | { readonly op: 'save'; readonly slot: number }
  | { readonly op: 'at'; readonly where: Place; readonly word: Unit }
  | { readonly op: 'reference'; readonly slot: number; readonly ignoreCase: boolean; readonly ascii: boolean }
  | { readonly op: 'loop-start'; readonly slot: number }
  | {
      readonly op: 'loop';
      readonly slot: number;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
      readonly exit: number;
    }
  | { readonly op: 'run'; readonly unit: Unit; readonly min: number; readonly max: number; readonly mode: RunMode }
  | { readonly op: 'look'; readonly back: number; readonly negative: boolean; readonly next: number }
  | { readonly op: 'atomic'; readonly next: number }
  | { readonly op: 'condition'; readonly slot: number; readonly otherwise: number }
  | { readonly op: 'end' };

export type RunMode = 'greedy' | 'lazy' | 'possessive';
/** Line anchors know whether lines count. */
export type Place =
  | 'text-start'
  | 'text-end'
  | 'line-start'
  | 'line-end'
  | 'last-line-end'
  | 'boundary'
  | 'not-boundary';

export interface Program {
  readonly instructions: readonly Instruction[];
  /** Two for each group, then two for each loop: how often it went round, and where it last began. */
  readonly slots: number;
  /** What a match can begin with; undefined where that is not known, or a match may be empty. */
  readonly first: Unit | undefined;
}
