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
    switch (event.type) {
      case 'guard-decision': {
        const { type: _type, id, ...decision } = event;
        const record = { effect: baseOf(id), generation, ...decision };
        this.decided.push(record);
        this.tentative.add(record);
        break;
      }
      case 'intent':
      case 'complete':
      case 'abort':
      case 'ask-end':
        this.settle(generation, event.id);
        break;
      case 'wait-start':
        if (event.admitted !== undefined) this.settle(generation, baseOf(event.id)); // a person is asked, guards are not any more
        break;
      case 'attempt-start':
        this.void();
        break;
      case 'run-end':
        this.tentative.clear();
        break;
      default:
        break;
    }
  }

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
