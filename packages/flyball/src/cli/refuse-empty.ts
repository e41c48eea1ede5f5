import { ConfigError } from '../core/errors.js';

/** A path that is empty would be taken for the current folder. */
export function refuseEmpty(what: string, given: string): void {
  if (given.trim() === '')
    throw new ConfigError(`${what} is empty. If its value comes from a variable, the variable may be unset.`);
}
