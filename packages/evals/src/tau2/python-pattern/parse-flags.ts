import type { Source } from './source.js';
import { type Flag, type FlagChange, PatternError } from './syntax.js';

/** `L` is for byte patterns only. */
const FLAGS = /^[imsxau]$/;
const TYPES: ReadonlySet<Flag> = new Set<Flag>(['a', 'u']);

/** What follows `(?` where it begins with a flag or a minus. `global`: it ended in a parenthesis and counts for all. */
export function parseFlags(source: Source, first: string): FlagChange & { readonly global: boolean } {
  const on = new Set<Flag>();
  const off = new Set<Flag>();
  let token: string | undefined = first;
  while (token !== '-' && token !== ')' && token !== ':') {
    const flag = flagOf(token);
    on.add(flag);
    if (on.has('a') && on.has('u')) throw new PatternError('bad inline flags: a and u are incompatible');
    token = source.get();
  }
  if (token === ')') return { on, off, global: true };
  if (token === '-') {
    for (token = source.get(); token !== ':'; token = source.get()) off.add(removable(flagOf(token)));
    if (off.size === 0) throw new PatternError('missing flag');
  }
  if ([...off].some((flag) => on.has(flag))) throw new PatternError('bad inline flags: flag turned on and off');
  return { on, off, global: false };
}

function flagOf(token: string | undefined): Flag {
  if (token === undefined || !FLAGS.test(token)) throw new PatternError(`unknown flag ${token ?? ''}`);
  return token as Flag;
}

function removable(flag: Flag): Flag {
  if (TYPES.has(flag)) throw new PatternError(`bad inline flags: cannot turn off ${flag}`);
  return flag;
}
