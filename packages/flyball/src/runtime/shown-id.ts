import type { EffectId } from '../core/events.js';
import type { LoadedEntry } from './loaded-entry.js';
import type { Recorded } from './recorded.js';

/**
 * Who the code is told it is. While a fork's code repeats what one of its ancestors did, it is told the id that it was
 * told then: an id that went into the input of an effect must go into it again. It repeats until it was given every
 * completion of that stretch and has asked again for everything that the stretch left open.
 */
export class ShownId {
  private readonly stretches: readonly Stretch[];
  private readonly own: string;

  constructor(own: string, ancestors: readonly string[], recorded: Pick<Recorded, 'deliveries' | 'starts' | 'ends'>) {
    this.own = own;
    this.stretches = ancestors.map((id, rank): Stretch => {
      const isUpTo = (entry: LoadedEntry | undefined): boolean =>
        entry?.inherited !== undefined && ancestors.indexOf(entry.inherited) <= rank;
      const left = [...recorded.starts].flatMap(([effect, starts]) =>
        // gates and undos are never asked for by the code itself
        !effect.includes('!') && starts.some(isUpTo) && !isUpTo(recorded.ends.get(effect)) ? [effect] : [],
      );
      return { id, deliveries: recorded.deliveries.filter(isUpTo).length, left: new Set(left) };
    });
  }

  /** The code asks for this effect. */
  asked(effect: EffectId): void {
    for (const { left } of this.stretches) left.delete(effect);
  }

  /** After this many completions. */
  after(delivered: number): string {
    const repeated = this.stretches.find(({ deliveries, left }) => delivered < deliveries || left.size > 0);
    return repeated?.id ?? this.own;
  }
}

interface Stretch {
  readonly id: string;
  /** Completions up to its end. */
  readonly deliveries: number;
  /** Starts up to its end that have no end there. */
  readonly left: Set<EffectId>;
}
