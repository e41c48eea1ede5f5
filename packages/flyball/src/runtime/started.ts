import type { EffectId } from '../core/events.js';
import type { Recorded } from './recorded.js';

/** The journal holds what was reserved for it, and nothing since has taken that back. */
export function isAgreed({ starts }: Pick<Recorded, 'starts'>, id: EffectId): boolean {
  return starts.get(id)?.some(({ inherited }) => inherited === undefined) === true;
}

/** This run's own journal holds its start: what a fork's parent began is the parent's. */
export function hasStarted(recorded: Pick<Recorded, 'starts' | 'stoppedCalls'>, id: EffectId): boolean {
  return recorded.stoppedCalls.has(id) || isAgreed(recorded, id);
}

/** This run's own journal holds its INTENT. */
export function wasIntended({ starts }: Pick<Recorded, 'starts'>, id: EffectId): boolean {
  return starts.get(id)?.some(({ event, inherited }) => event.type === 'intent' && inherited === undefined) === true;
}
