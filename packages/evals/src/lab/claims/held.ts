import { askedOnce, onceExpected } from '../arms.js';
import type { Claim } from '../claim.js';
import { arithmetic } from '../worlds/arithmetic.js';

const P = 0.5;

/** A rule that holds whatever the model does. Its baseline is one call, which is held to nothing. */
export function held(of: Omit<Claim, 'side' | 'baseline' | 'expectedBaseline'>): Claim {
  return { ...of, side: 'holds', baseline: askedOnce(arithmetic, P), expectedBaseline: onceExpected(P) };
}
