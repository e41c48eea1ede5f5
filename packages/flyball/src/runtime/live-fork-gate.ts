import type { EffectId } from '../core/events.js';
import type { Pending } from './open-effects.js';

/**
 * Whether a live fork may act on the world is one question about the whole fork. The first act asks it; others that come
 * meanwhile stand in line until it is answered, or until who asked is gone and one of them has to ask.
 */
export class LiveForkGate {
  private asker: EffectId | undefined;
  private line: (() => void)[] = [];

  /** Somebody else asks, or is about to: then this resolves when there may be news. Undefined: it is on you to ask. */
  inLine(pending: Pending, recordedAsker: EffectId | undefined): Promise<void> | undefined {
    this.asker ??= recordedAsker ?? pending.id;
    if (this.asker === pending.id) return undefined;
    pending.phase = 'waiting';
    return new Promise((resolve) => {
      this.line.push(() => {
        pending.phase = 'running';
        resolve();
      });
    });
  }

  /** It was answered, or its effect is gone: everybody in line looks again. */
  left({ id }: Pick<Pending, 'id'>): void {
    if (this.asker !== id) return;
    this.asker = undefined;
    for (const wake of this.line.splice(0)) wake();
  }
}
