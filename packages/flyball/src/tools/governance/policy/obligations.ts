import { ConfigError } from '../../../core/errors.js';
import { matchesAny } from '../text-glob.js';
import type { PolicyRule } from './policy.js';

/** A call that is owed may itself owe another one, this many times over. */
const MAX_DEPTH = 5;

/**
 * Refuses duties that can never be met: A first, but B before A, and A before B. Looks at names only, so it also refuses
 * a circle that conditions would break: nobody could tell that from the file.
 */
export function checkObligations(rules: readonly PolicyRule[]): void {
  for (const rule of rules) {
    if (rule.effect === 'oblige') follow(rules, rule.firstCall, [rule.id]);
  }
}

function follow(rules: readonly PolicyRule[], owed: string, chain: readonly string[]): void {
  for (const rule of rules) {
    if (rule.effect !== 'oblige' || rule.firstCall === owed || !matchesAny(rule.tools, owed)) continue;
    const longer = [...chain, rule.id];
    if (chain.includes(rule.id))
      throw new ConfigError(
        `Policy: the obligations ${longer.join(' → ')} depend on each other, so none could be met.`,
      );
    if (longer.length > MAX_DEPTH)
      throw new ConfigError(`Policy: the obligations ${longer.join(' → ')} are a chain of more than ${MAX_DEPTH}.`);
    follow(rules, rule.firstCall, longer);
  }
}
