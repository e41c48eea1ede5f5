import type { Entry } from '../../../flyball/src/core/events.js';
import { baseOf } from '../../../flyball/src/views/paths.js';

/** Which entries tell of which effect: gates, doubts and undos count to what they are about. */
export class EffectEntriesFold {
  private readonly byKey = new Map<string, Entry[]>();

  apply(entry: Entry): void {
    const { event, generation } = entry;
    if (!('id' in event) || event.type === 'changed') return;
    const key = keyOf(generation, event.id);
    const known = this.byKey.get(key);
    if (known === undefined) this.byKey.set(key, [entry]);
    else known.push(entry);
  }

  /** Grows with the journal. */
  read(): ReadonlyMap<string, readonly Entry[]> {
    return new Map(this.byKey);
  }
}

/** `generation:id` of the effect an id belongs to, as spans are called too. */
export function keyOf(generation: number, id: string): string {
  return `${generation}:${baseOf(id)}`;
}
