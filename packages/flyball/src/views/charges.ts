import type { Amounts } from '../core/budget.js';
import { type ByKind, byKind, nothingFor, rowsFor } from '../core/by-kind.js';
import { PATTERNS, ROLLBACKS, TELLING, WAITS } from '../core/event-kinds.js';
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
  /**
   * The call was cut off and nobody knows what was billed: all that was reserved for it may have been. Of another run: it
   * may spend that, or no longer where the amounts are below nothing.
   */
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
    return byKind(ChargeFold.ROWS, event, this) ?? [];
  }

  private static readonly ROWS: ByKind<[fold: ChargeFold], readonly Charge[] | undefined> = {
    ...rowsFor(['ask-start', 'intent', 'call-start'], (event, fold: ChargeFold) => {
      const lost = fold.lose(event.id);
      fold.open.set(event.id, event);
      return lost;
    }),
    'ask-end': (event, fold) => fold.replied(event),
    complete: ({ id, spent, possibly }, fold) => {
      fold.take(id);
      const unsure = possibly === undefined ? [] : [{ id, amounts: possibly, possibly: true as const }];
      return spent === undefined ? unsure : [{ id, amounts: spent }, ...unsure];
    },
    abort: ({ id, spent }, fold) => {
      fold.take(id);
      return spent === undefined ? undefined : [{ id, amounts: spent }];
    },
    'spawn-start': ({ id, path }, fold) => {
      fold.childPaths.set(id, path);
      return undefined;
    },
    'spawn-end': ({ id }, fold) => {
      const path = fold.childPaths.get(id);
      return path === undefined ? undefined : fold.loseAsksIn(path);
    },
    trip: ({ node }, fold) => fold.loseAsksIn(node),
    ...rowsFor(['cancel', 'generation-end', 'run-end'], (_event, fold: ChargeFold) => fold.loseAsksIn('')),
    'generation-start': (_event, fold) => {
      fold.open.clear();
      return undefined;
    },
    // costs nothing
    ...nothingFor(
      ...WAITS,
      ...ROLLBACKS,
      ...PATTERNS,
      ...TELLING,
      'run-start',
      'attempt-start',
      'run-resume',
      'run-pause',
      'doubt',
      'slice-change',
      'redirect',
      'stuck',
      'note',
      'pin',
      'post',
    ),
  };

  private replied({ id, spent, reply, possibly }: EventOf<'ask-end'>): readonly Charge[] {
    const start = this.take(id);
    const model = start?.type === 'ask-start' ? { model: start.model } : {};
    const cutOff = possibly === undefined ? [] : [{ id, amounts: possibly, ...model, possibly: true as const }];
    return [{ id, amounts: spent, ...model, ...(reply === undefined ? {} : { usage: reply.usage }) }, ...cutOff];
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
