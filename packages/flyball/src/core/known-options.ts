import { ConfigError } from './errors.js';

/**
 * Refuses a name that is none of the options. Types say so too, but not everybody compiles, and a misspelled option that
 * goes unnoticed leaves its default in force.
 */
export function refuseUnknownOptions(of: string, given: unknown, known: readonly string[]): void {
  if (typeof given !== 'object' || given === null)
    throw new ConfigError(`${of} takes an object with options, not ${JSON.stringify(given) ?? typeof given}.`);
  const unknown = Object.entries(given).find(([name, value]) => value !== undefined && !known.includes(name));
  if (unknown === undefined) return;
  throw new ConfigError(`${of} has no option "${unknown[0]}". It has ${known.join(', ')}.`);
}
