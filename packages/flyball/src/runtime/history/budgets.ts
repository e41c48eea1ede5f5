import { type Budget, completed } from '../../core/budget.js';
import { type ByKind, byKind, nothingFor, rowsFor } from '../../core/by-kind.js';
import { ACTS, ASKS, CONTROLS, PATTERNS, ROLLBACKS, TELLING, WAITS } from '../../core/event-kinds.js';
import type { EffectId } from '../../core/events.js';
import type { Era, Turns } from '../turns.js';
import type { Placed } from './standing.js';

/** What a run was given to spend, and when. */
export interface BudgetHistory {
  /** The budgets it ran under, in order: each part of its past is judged by the one of its time. */
  readonly budgets: readonly Era[];
  /** Parts of a later budget that children got which were open when it began. */
  readonly slices: ReadonlyMap<EffectId, readonly { readonly place: number; readonly limits: Budget }[]>;
  /** `era node axis` of the warnings given: a warning is about a limit, and under another one it is due again. */
  readonly warned: ReadonlySet<string>;
}

type Given = Omit<Era, 'delivery' | 'inTurn'>;

class BudgetFold {
  readonly given: Given[] = [];
  readonly slices = new Map<EffectId, { readonly place: number; readonly limits: Budget }[]>();
  readonly warned = new Set<string>();

  give(budget: Budget, { entry, place }: Placed, fresh: boolean): void {
    this.given.push({ from: place, at: entry.at, budget: completed(budget), fresh });
  }
}

const ROWS: ByKind<[fold: BudgetFold, at: Placed], void> = {
  ...nothingFor(
    ...ASKS,
    ...ACTS,
    ...WAITS,
    ...CONTROLS,
    ...ROLLBACKS,
    ...PATTERNS,
    ...TELLING,
    'generation-end',
    'attempt-start',
    'run-pause',
    'run-end',
    'spawn-start',
    'spawn-end',
    'note',
    'pin',
    'post',
  ),
  // a fork's own part, also where a fork of it inherits that
  ...rowsFor(['run-start', 'generation-start'], ({ budget }, fold: BudgetFold, at: Placed) =>
    fold.give(budget, at, at.place > 0),
  ),
  'run-resume': ({ budget }, fold, at) => {
    if (budget !== undefined) fold.give(budget, at, false);
  },
  'slice-change': ({ id, limits }, fold, { place }) => {
    fold.slices.set(id, [...(fold.slices.get(id) ?? []), { place, limits: completed(limits) }]);
  },
  'budget-warning': ({ node, axis }, fold) => {
    fold.warned.add(`${fold.given.length - 1} ${node} ${axis}`);
  },
};

const FROM_THE_START = { delivery: -1, inTurn: true } as const;

export function budgetsIn(past: readonly Placed[], turns: Turns): BudgetHistory {
  const fold = new BudgetFold();
  for (const at of past) byKind(ROWS, at.entry.event, fold, at);
  const { given, slices, warned } = fold;
  const budgets = given.map(
    (era, index): Era => ({ ...era, ...(index === 0 ? FROM_THE_START : turns.opening(era.from)) }),
  );
  return { budgets, slices, warned };
}
