import type { Amounts } from '../core/budget.js';
import type { EffectId, Entry, EventOf } from '../core/events.js';
import type { TokenUsage } from '../core/model.js';
import { isInside, scopeOf } from './paths.js';

/** An amount that an entry shows to be spent. */
export interface Charge {
  readonly id: EffectId;
  readonly amounts: Partial<Amounts>;
  /** Set for model calls. */
  readonly model?: string;
  readonly usage?: TokenUsage;
  /** The call was cut off and nobody knows what was billed: all that was reserved for it may have been. */
  readonly possibly?: true;
}

type Reservation = EventOf<'ask-start' | 'intent' | 'call-start'>;

/**
 * Finds what was spent, the way the run's own ledger does: an end settles the last start of its effect; a start that is
 * followed by another one, or whose scope was closed around it, has possibly spent what it had reserved.
 */
export class ChargeFold {
  private readonly open = new Map<EffectId, Reservation>();
  private readonly childPaths = new Map<EffectId, string>();

  apply({ event }: Entry): readonly Charge[] {
    switch (event.type) {
      case 'ask-start':
      case 'intent':
      case 'call-start': {
        const lost = this.lose(event.id);
        this.open.set(event.id, event);
        return lost;
      }
      case 'ask-end': {
        const start = this.take(event.id);
        const model = start?.type === 'ask-start' ? { model: start.model } : {};
        return [
          {
            id: event.id,
            amounts: event.spent,
            ...model,
            ...(event.reply === undefined ? {} : { usage: event.reply.usage }),
          },
          ...(event.possibly === undefined
            ? []
            : [{ id: event.id, amounts: event.possibly, ...model, possibly: true as const }]),
        ];
      }
      case 'complete':
      case 'abort':
        this.take(event.id);
        return event.spent === undefined ? [] : [{ id: event.id, amounts: event.spent }];
      case 'spawn-start':
        this.childPaths.set(event.id, event.path);
        return [];
      case 'spawn-end': {
        const path = this.childPaths.get(event.id);
        return path === undefined ? [] : this.loseAsksIn(path);
      }
      case 'trip':
        return this.loseAsksIn(event.node);
      case 'cancel':
      case 'generation-end':
      case 'run-end':
        return this.loseAsksIn('');
      case 'generation-start':
        this.open.clear();
        return [];
      default:
        return []; // costs nothing
    }
  }

  /** Tool calls whose bodies began and whose ends are not known: under way, left open at a bound, or in doubt. */
  get openCalls(): number {
    let calls = 0;
    for (const start of this.open.values())
      if (start.type === 'call-start' || (start.type === 'intent' && start.of === 'call')) calls++;
    return calls;
  }

  /** INTENTs stay: they are seen to their end even when nobody waits for them any more. */
  private loseAsksIn(path: string): readonly Charge[] {
    const asks = [...this.open.values()].filter(({ type, id }) => type === 'ask-start' && isInside(scopeOf(id), path));
    return asks.flatMap(({ id }) => this.lose(id));
  }

  private lose(id: EffectId): readonly Charge[] {
    const start = this.take(id);
    // an act that had to be repeated is one call: its end says what was spent
    if (start?.type !== 'ask-start') return [];
    return [{ id, amounts: start.reserved, model: start.model, possibly: true }];
  }

  private take(id: EffectId): Reservation | undefined {
    const start = this.open.get(id);
    this.open.delete(id);
    return start;
  }
}
