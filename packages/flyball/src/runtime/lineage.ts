import type { EffectId, EventOf } from '../core/events.js';

/** What a run has from the one it was forked from. */
export interface Lineage {
  /** What random numbers are drawn from. A fork shares its parent's, so that its prefix draws the same. */
  readonly seed: string;
  /** The runs whose entries it inherits, oldest first. */
  readonly ancestors: readonly string[];
  readonly fork?: {
    /** It may act on the world, once somebody approved. Otherwise world-changing effects are stood in for. */
    readonly live: boolean;
    /** Completions of the parent after the fork point, by effect. */
    readonly later: ReadonlyMap<EffectId, { readonly fp: string; readonly end: EventOf<'complete'> }>;
  };
}
