import type { Finding } from './finding.js';
import { lint } from './lint.js';
import type { Composition } from './subject.js';

/** What `createRuntime` hands to a check of its composition. */
export interface Assembled {
  readonly agents: Readonly<Record<string, unknown>>;
  readonly seams?: unknown;
}

/**
 * A check for `createRuntime({ …, composition: composition({ profile: ['production'] }) })`: the runtime refuses to be
 * created while the linter finds errors.
 */
export function composition(
  given: Omit<Composition, 'agents' | 'host' | 'seams'> = {},
): (assembled: Assembled) => readonly Finding[] {
  return ({ agents, seams }) => lint({ ...given, agents, seams });
}
