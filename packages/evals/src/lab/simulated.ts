import { sha256 } from 'flyball/internal';
import type { simulatedModel } from 'flyball/testing/simulated';

/** Names for types that `flyball/testing/simulated` has no names for. */
export type SimulatedModel = ReturnType<typeof simulatedModel>;
/** Rule of a simulated model. */
export type Family = Extract<Parameters<typeof simulatedModel>[0]['families'], (...call: never) => unknown>;
/** A call as a family sees it. */
export type SimulatedCall = Parameters<Family>[0];

/** From 0 inclusive to 1 exclusive, by names alone: what the worlds are made with. */
export function draw(...of: readonly (string | number)[]): number {
  return Number.parseInt(sha256(of.join('\u0000')).slice(0, 12), 16) / 2 ** 48;
}
