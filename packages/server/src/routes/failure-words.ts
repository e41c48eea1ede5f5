import type { Outcome } from 'flyball';
import { holds, type Principal } from '../access/principal.js';
import type { RunCard } from '../contract/resources.js';

const UNTOLD = 'it failed; see its run for the reason';

/**
 * What a failed run says about itself are the words of whatever broke inside: a path, an address, a vendor. They are for
 * those who may read runs; whoever may only start them learns that it failed.
 */
export function failureWords(
  { scopes }: Pick<Principal, 'scopes'>,
  { stop, because }: { readonly stop: string; readonly because?: string | undefined },
): { readonly because?: string } {
  if (because === undefined) return {};
  return { because: stop !== 'failed' || holds(scopes, 'runs:read') ? because : UNTOLD };
}

/** The same for a card. */
export function cardFor(principal: Pick<Principal, 'scopes'>, card: RunCard): RunCard {
  const { outcome } = card;
  return outcome === undefined
    ? card
    : { ...card, outcome: { stop: outcome.stop, ...failureWords(principal, outcome) } };
}

export function becauseOf(outcome: Outcome<unknown> | undefined): string | undefined {
  if (outcome === undefined) return undefined;
  if (outcome.stop === 'bounded') return `${outcome.bound} reached its limit of ${outcome.limit}`;
  return 'because' in outcome ? outcome.because : undefined;
}
