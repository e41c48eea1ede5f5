import { type ByKind, byKind, nothingFor, rowsFor } from '../../core/by-kind.js';
import { ACTS, ASKS, CHILDREN, CONTROLS, LIFE, ROLLBACKS, TELLING, WAITS } from '../../core/event-kinds.js';
import type { Placed } from './standing.js';

/** What a run has said so far beside its effects: a later life does not say it again. */
export interface ToldHistory {
  /** How much the code told of itself (notes, marks, its best so far), by the scope that told it. */
  readonly told: ReadonlyMap<string, number>;
  readonly overlaps: ReadonlySet<string>;
  readonly changedIds: ReadonlySet<string>;
  /** Those of them that the code comes to again when it lives its past again. */
  readonly changesToAsk: ReadonlySet<string>;
}

class ToldFold implements ToldHistory {
  readonly told = new Map<string, number>();
  readonly overlaps = new Set<string>();
  readonly changedIds = new Set<string>();
  readonly changesToAsk = new Set<string>();
}

const ROWS: ByKind<[fold: ToldFold, at: Placed], void> = {
  ...nothingFor(...LIFE, ...ASKS, ...ACTS, ...CHILDREN, ...WAITS, ...CONTROLS, ...ROLLBACKS, ...TELLING, 'pin', 'post'),
  ...rowsFor(['note', 'scope-start', 'scope-end', 'best'], ({ path }, { told }: ToldFold, { standing }: Placed) => {
    if (standing === 'kept') told.set(path, (told.get(path) ?? 0) + 1);
  }),
  'scope-overlap': ({ path }, { overlaps }) => {
    overlaps.add(path);
  },
  changed: ({ id, path }, { changedIds, changesToAsk }, { standing }) => {
    changedIds.add(id);
    if (path !== undefined && standing === 'kept') changesToAsk.add(id);
  },
};

export function toldIn(past: readonly Placed[]): ToldHistory {
  const fold = new ToldFold();
  for (const at of past) byKind(ROWS, at.entry.event, fold, at);
  return fold;
}
