import type { Acts } from '../core/act-record.js';
import { ActsFold } from '../core/acts.js';
import type { Entry } from '../core/events.js';

/** The acts of a run, as in its outcome, computed from its journal. */
export function actsOf(entries: readonly Entry[]): Acts {
  const fold = new ActsFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}
