import type { Outcome } from '../core/outcome.js';

/** The end of a part, handed on by a pattern whose value is another one: what the part had so far is not its own. */
export function passedOn(outcome: Outcome<unknown>): Outcome<never> {
  const { partial: _partial, ...rest } = outcome as Outcome<unknown> & { readonly partial?: unknown };
  return rest as Outcome<never>;
}
