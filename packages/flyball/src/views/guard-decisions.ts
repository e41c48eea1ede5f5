import { type ByKind, byKind, nothingFor, rowsFor } from '../core/by-kind.js';
import { CHILDREN, CONTROLS, PATTERNS, ROLLBACKS, TELLING } from '../core/event-kinds.js';
import type { EffectId, Entry, GuardDecision } from '../core/events.js';
import { baseOf } from './paths.js';

/** What a guard decided about an effect, or about the run's own output where `effect` is empty. */
export interface GuardRecord extends GuardDecision {
  readonly effect: EffectId;
  readonly generation: number;
}

/**
 * The decisions that count, in order. A crash makes a guard decide again about what had not got past it: decisions made
 * after an effect's last INTENT, or about one without INTENT, fall away when another attempt begins before its end.
 */
export function guardDecisionsOf(entries: readonly Entry[]): readonly GuardRecord[] {
  const fold = new GuardFold();
  for (const entry of entries) fold.apply(entry);
  return fold.all();
}

/** Takes entries one by one. */
export class GuardFold {
  private readonly decided: GuardRecord[] = [];
  /** Those a crash would void. */
  private readonly tentative = new Set<GuardRecord>();

  apply({ event, generation }: Entry): void {
    byKind(GuardFold.ROWS, event, this, generation);
  }

  private static readonly ROWS: ByKind<[fold: GuardFold, generation: number], void> = {
    ...nothingFor(
      ...CHILDREN,
      ...CONTROLS,
      ...ROLLBACKS,
      ...PATTERNS,
      ...TELLING,
      'run-start',
      'generation-start',
      'generation-end',
      'run-resume',
      'run-pause',
      'ask-start',
      'call-start',
      'doubt',
      'wait-end',
      'wait-close',
      'sleep-start',
      'sleep-end',
      'note',
      'pin',
      'post',
    ),
    'guard-decision': ({ type: _type, id, ...decision }, fold, generation) => {
      const record = { effect: baseOf(id), generation, ...decision };
      fold.decided.push(record);
      fold.tentative.add(record);
    },
    ...rowsFor(['intent', 'complete', 'abort', 'ask-end'], ({ id }, fold: GuardFold, generation: number) =>
      fold.settle(generation, id),
    ),
    'wait-start': ({ id, admitted }, fold, generation) => {
      if (admitted !== undefined) fold.settle(generation, baseOf(id)); // a person is asked, guards are not any more
    },
    'attempt-start': (_event, fold) => fold.void(),
    'run-end': (_event, fold) => fold.tentative.clear(),
  };

  all(): readonly GuardRecord[] {
    return [...this.decided];
  }

  private settle(generation: number, id: EffectId): void {
    for (const record of this.tentative)
      if (record.effect === id && record.generation === generation) this.tentative.delete(record);
  }

  private void(): void {
    const kept = this.decided.filter((record) => !this.tentative.has(record));
    this.decided.splice(0, Infinity, ...kept);
    this.tentative.clear();
  }
}
