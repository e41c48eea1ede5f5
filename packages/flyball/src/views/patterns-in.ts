import type { Entry, EventOf } from '../core/events.js';
import type { Mark } from '../core/mark.js';
import { pathOf, pathsAround, scopeOf } from './paths.js';

/** One use of a pattern in a run: a scope that `run.enter` opened. */
export interface PatternUse extends Mark {
  readonly generation: number;
  readonly path: string;
  readonly startedAt: number;
  /** Absent while it is open. */
  readonly endedAt?: number;
  readonly how?: EventOf<'scope-end'>['how'];
  readonly learnt?: Readonly<Record<string, unknown>>;
  /** Model calls that were made inside it, patterns and children in it included. */
  readonly modelCalls: number;
}

/**
 * The patterns of a run, in the order in which they began. A fork has those that began in it: the others are in the
 * journal of the run it came from.
 */
export function patternsIn(entries: readonly Entry[]): readonly PatternUse[] {
  const uses = new Map<string, PatternUse>();
  for (const { event, generation, at } of entries) {
    if (event.type === 'scope-start') {
      const { type: _type, ...mark } = event;
      uses.set(`${generation} ${event.path}`, { ...mark, generation, startedAt: at, modelCalls: 0 });
    } else if (event.type === 'scope-end') {
      const key = `${generation} ${event.path}`;
      const use = uses.get(key);
      const { how, learnt } = event;
      if (use !== undefined) uses.set(key, { ...use, endedAt: at, how, ...(learnt === undefined ? {} : { learnt }) });
    } else if (event.type === 'ask-start' && event.attempt === 1) {
      for (const path of pathsAround(pathOf(scopeOf(event.id)))) {
        const use = uses.get(`${generation} ${path}`);
        if (use !== undefined) uses.set(`${generation} ${path}`, { ...use, modelCalls: use.modelCalls + 1 });
      }
    }
  }
  return [...uses.values()];
}
