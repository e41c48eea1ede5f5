import type { Acts } from '../core/act-record.js';
import { ActsFold } from '../core/acts.js';
import type { Entry } from '../core/events.js';

/** What took place in a run and what did not, as its outcome tells it: folded from the same entries by the same fold. */
export function actsOf(entries: readonly Entry[]): Acts {
  const fold = new ActsFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}
