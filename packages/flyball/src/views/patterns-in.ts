import type { Entry, EventOf } from '../core/events.js';
import type { Mark } from '../core/mark.js';
import { ChargeFold } from './charges.js';
import { pathOf, pathsAround, scopeOf } from './paths.js';

/** One use of a pattern in a run: a scope that `run.enter` opened. */
export interface PatternUse extends Mark {
  readonly generation: number;
  readonly path: string;
  readonly startedAt: number;
  /** Absent while it is open. */
  readonly endedAt?: number;
  readonly how?: EventOf<'scope-end'>['how'];
  readonly learned?: Readonly<Record<string, unknown>>;
  /** Model calls that were made inside it, patterns and children in it included. */
  readonly modelCalls: number;
  /** What was spent inside it, patterns and children in it included. */
  readonly costUsd: number;
}

/**
 * The patterns of a run, in the order in which they began. A fork has those that began in it: the others are in the
 * journal of the run it came from.
 */
export function patternsIn(entries: readonly Entry[]): readonly PatternUse[] {
  const fold = new PatternFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}

/** Takes entries one by one. */
export class PatternFold {
  private readonly uses = new Map<string, PatternUse>();
  private readonly charges = new ChargeFold();

  apply(entry: Entry): void {
    const { event, generation, at } = entry;
    if (event.type === 'scope-start') {
      const { type: _type, ...mark } = event;
      this.uses.set(`${generation} ${event.path}`, { ...mark, generation, startedAt: at, modelCalls: 0, costUsd: 0 });
    } else if (event.type === 'scope-end') {
      const { how, learned } = event;
      this.change(generation, event.path, (use) => ({
        ...use,
        endedAt: at,
        how,
        ...(learned === undefined ? {} : { learned }),
      }));
    } else if (event.type === 'ask-start' && event.attempt === 1) {
      this.around(generation, event.id, (use) => ({ ...use, modelCalls: use.modelCalls + 1 }));
    }
    for (const { id, amounts, possibly } of this.charges.apply(entry)) {
      const { costUsd = 0 } = amounts;
      if (possibly !== true && costUsd > 0)
        this.around(generation, id, (use) => ({ ...use, costUsd: use.costUsd + costUsd }));
    }
  }

  all(): readonly PatternUse[] {
    return [...this.uses.values()];
  }

  /** Every pattern that an effect was made in. */
  private around(generation: number, id: string, changed: (use: PatternUse) => PatternUse): void {
    for (const path of pathsAround(pathOf(scopeOf(id)))) this.change(generation, path, changed);
  }

  private change(generation: number, path: string, changed: (use: PatternUse) => PatternUse): void {
    const key = `${generation} ${path}`;
    const use = this.uses.get(key);
    if (use !== undefined) this.uses.set(key, changed(use));
  }
}
