import { type CardFunctions, cardClaims } from '../lab/claims/cards.js';
import { CLAIMS } from '../lab/registry.js';

type AllClaims = typeof CLAIMS;

/** Builds on this package, so it is no dependency of it: its pattern is measured where it is installed. */
const SERVER = '@flyball/server';

/** Every claim that can be measured here. `say` is told what is left out, and why. */
export async function knownClaims(say: (line: string) => void): Promise<AllClaims> {
  const server = await import(SERVER).catch((error: unknown) => {
    if ((error as { readonly code?: string }).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (server !== undefined) return [...CLAIMS, ...cardClaims(server as CardFunctions)];
  say(`The claims about agent cards (I5) are left out: they need the package ${SERVER}.`);
  return CLAIMS;
}
