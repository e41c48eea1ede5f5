import { ConfigError } from '../core/errors.js';

/** Refuses counts and caps that mean nothing, when the composition is built. */
export function checkCounts(who: string, counts: Readonly<Record<string, number>>, least = 1): void {
  for (const [name, value] of Object.entries(counts)) {
    if (Number.isInteger(value) && value >= least) continue;
    throw new ConfigError(`${who} needs ${name} to be a whole number of at least ${least}: got ${value}.`);
  }
}

/** Refuses a composition with a part missing. Types say so too, but not everybody compiles. */
export function checkGiven(who: string, parts: Readonly<Record<string, unknown>>): void {
  for (const [name, part] of Object.entries(parts))
    if (part === undefined) throw new ConfigError(`${who} needs ${name}.`);
}

/** Refuses shares that are none. */
export function checkShare(who: string, shares: Readonly<Record<string, number>>): void {
  for (const [name, value] of Object.entries(shares)) {
    if (value > 0 && value <= 1) continue;
    throw new ConfigError(`${who} needs ${name} to be above 0 and at most 1: got ${value}.`);
  }
}
