import type { Agent } from 'flyball';
import { zeroShot } from 'flyball/patterns';
import { seat, solving } from '../arms.js';
import type { Arm, Ended } from '../claim.js';
import type { Moments } from '../exactly.js';
import type { Family } from '../simulated.js';
import { arithmetic } from '../worlds/arithmetic.js';
import { draftOf, PARTS, partsOf, shareOf } from '../worlds/parts.js';

/** F2 for drafts of several parts: each part is right with p. */
export const drafted =
  (p: number): Family =>
  (call) =>
    draftOf(Array.from({ length: PARTS }, (_none, n) => call.chance(`part ${n}`) < p));

/** How much of what is delivered is right; nothing where it passes for done and is not. */
export function asGoodAsItSays(_item: number, answer: unknown, { outcome }: Ended): number {
  const share = shareOf(partsOf(String(answer)));
  return outcome.stop === 'done' && share < 1 ? 0 : share;
}

export const draftedOnce = (p: number): Arm =>
  solving(`S1 parts ${p}`, {
    questions: arithmetic,
    families: { writer: drafted(p) },
    agent: (model) => zeroShot(seat(model, 'writer')) as Agent<string, string>,
    isRight: (_item, answer) => shareOf(partsOf(String(answer))),
  });

/** Of the share of parts that are right in one draft. */
export const draftedExpected = (p: number): { readonly value: Moments } => ({
  value: { mean: p, variance: (p * (1 - p)) / PARTS },
});
