/** What a rule says about a command, a path or an address. `why` is written for the model that proposed it. */
export type RuleVerdict = { readonly ok: true } | { readonly ok: false; readonly why: string };

export const OK: RuleVerdict = { ok: true };

export function refused(why: string): RuleVerdict {
  return { ok: false, why };
}
