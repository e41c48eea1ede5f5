import { type ByKind, byKind, nothingFor } from '../../core/by-kind.js';
import { ASKS, CHILDREN, CONTROLS, LIFE, PATTERNS, TELLING, WAITS } from '../../core/event-kinds.js';
import type { EffectId, EventOf } from '../../core/events.js';
import type { Placed } from './standing.js';

/** What was undone, and what nobody knows. */
export interface RollbackHistory {
  /** Scopes whose rollback has ended, and those where one began. */
  readonly rollbacks: ReadonlySet<string>;
  readonly rollbackStarts: ReadonlySet<string>;
  /** Effects that such a rollback has dealt with: those that it reports as in doubt are not. */
  readonly undone: ReadonlySet<EffectId>;
  /** Why a person was asked about each INTENT in doubt. */
  readonly doubts: ReadonlyMap<EffectId, string>;
}

class RollbackFold implements RollbackHistory {
  readonly rollbacks = new Set<string>();
  readonly rollbackStarts = new Set<string>();
  readonly undone = new Set<EffectId>();
  readonly doubts = new Map<EffectId, string>();
}

const ROWS: ByKind<[fold: RollbackFold, at: Placed], void> = {
  'rollback-start': ({ scope }, fold, { own }) => {
    if (own) fold.rollbackStarts.add(scope); // a fork announces its own
  },
  'rollback-end': (event, fold) => {
    fold.rollbacks.add(event.scope);
    for (const effect of dealtWith(event)) fold.undone.add(effect);
  },
  doubt: ({ id, attempt, why }, fold, { own }) => {
    if (own) fold.doubts.set(`${id}!doubt${attempt}`, why); // a fork asks about its own
  },
  ...nothingFor(
    ...LIFE,
    ...ASKS,
    ...CHILDREN,
    ...WAITS,
    ...CONTROLS,
    ...PATTERNS,
    ...TELLING,
    'intent',
    'call-start',
    'complete',
    'abort',
    'note',
    'pin',
    'post',
  ),
};

export function rollbacksIn(past: readonly Placed[]): RollbackHistory {
  const fold = new RollbackFold();
  for (const at of past) byKind(ROWS, at.entry.event, fold, at);
  return fold;
}

/** What is in doubt when a branch is rolled back may turn out to have happened: then it is still to be undone. */
export function dealtWith({ scope, report }: EventOf<'rollback-end'>): readonly EffectId[] {
  if (scope === '') return [];
  return report.entries.flatMap(({ effect, status }) => (status === 'IN_DOUBT' ? [] : [effect]));
}
