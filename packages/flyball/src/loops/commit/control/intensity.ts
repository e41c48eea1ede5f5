import type { Strategy } from '../contracts.js';

/** Which repair an intensity asks for, up to and including each bound. */
export const STRATEGY_BANDS: readonly { readonly upTo: number; readonly strategy: Strategy }[] = [
  { upTo: 0.3, strategy: 'minimal-edit' },
  { upTo: 0.7, strategy: 'section-rewrite' },
  { upTo: 1, strategy: 'full-regeneration' },
];

export function intensityToStrategy(intensity: number): Strategy {
  return STRATEGY_BANDS.find(({ upTo }) => intensity <= upTo)?.strategy ?? 'full-regeneration';
}
