import type { EffectId } from '../core/events.js';
import type { WaitChange } from '../core/waits.js';

/** The waits of this run that its journal calls open, by the effect that waits: when that is closed, so are they. */
export class OpenWaits {
  private readonly byEffect = new Map<EffectId, Set<EffectId>>();
  /** One was closed without an answer in this life. */
  haveClosed = false;

  constructor(open: Iterable<EffectId>) {
    for (const id of open) this.add(id);
  }

  observe({ id, status }: WaitChange): void {
    if (status === 'open') this.add(id);
    else this.remove(id);
    if (status === 'closed') this.haveClosed = true;
  }

  /** A gate, a question and a doubt are waits inside another effect. */
  of(effect: EffectId): readonly EffectId[] {
    return [...(this.byEffect.get(effect) ?? [])];
  }

  private add(id: EffectId): void {
    const effect = effectOf(id);
    const known = this.byEffect.get(effect);
    if (known === undefined) this.byEffect.set(effect, new Set([id]));
    else known.add(id);
  }

  private remove(id: EffectId): void {
    const effect = effectOf(id);
    const known = this.byEffect.get(effect);
    known?.delete(id);
    if (known?.size === 0) this.byEffect.delete(effect);
  }
}

function effectOf(id: EffectId): EffectId {
  const at = id.indexOf('!');
  return at === -1 ? id : id.slice(0, at);
}
