import type { EffectId } from '../core/events.js';
import { isUnder } from './loaded-entry.js';
import { isLeaf, type Pending } from './pending.js';

/** The effects a run has asked for and not been answered, and what they say about the run as a whole. */
export class OpenEffects {
  private readonly pendings = new Map<EffectId, Pending>();
  private intentWaiters: (() => void)[] = [];

  get size(): number {
    return this.pendings.size;
  }

  get(id: EffectId): Pending | undefined {
    return this.pendings.get(id);
  }

  has(id: EffectId): boolean {
    return this.pendings.has(id);
  }

  all(): readonly Pending[] {
    return [...this.pendings.values()];
  }

  add(pending: Pending): void {
    this.pendings.set(pending.id, pending);
    pending.scope.open++;
  }

  /** False when it was not open any more. */
  remove(pending: Pending): boolean {
    if (this.pendings.get(pending.id) !== pending) return false;
    this.pendings.delete(pending.id);
    pending.scope.open--;
    if (pending.intended || pending.closedBy !== undefined) for (const waiter of this.intentWaiters.splice(0)) waiter();
    return true;
  }

  /** The code may still be answered by one of them. */
  areAwaited(): boolean {
    for (const { closedBy } of this.pendings.values()) if (closedBy === undefined) return true;
    return false;
  }

  /** An effect is in flight. Children are made of other effects and do not count. */
  areActing(): boolean {
    for (const { kind, phase } of this.pendings.values()) if (kind !== 'spawn' && phase === 'running') return true;
    return false;
  }

  /** Only people, signals and timers can move the run. */
  onlyWait(): boolean {
    let waits = false;
    for (const pending of this.pendings.values()) {
      if (pending.kind === 'spawn') continue;
      if (pending.phase !== 'waiting') return false;
      waits ||= isLeaf(pending);
    }
    return waits;
  }

  /** Nothing that is open could ever answer the code. */
  cannotMove(): boolean {
    for (const pending of this.pendings.values()) {
      // an INTENT that nobody waits for may still be what a child has to see to its end
      if (pending.intended || pending.begun || (isLeaf(pending) && pending.closedBy === undefined)) return false;
    }
    return true;
  }

  /** Effects below `path` whose INTENT is open. */
  intended(path: string): readonly Pending[] {
    return this.all().filter((pending) => pending.intended && isLeaf(pending) && isUnder(pending.id, path));
  }

  /** An effect waits for a person or for a time: whoever waits for acts only until they are in doubt looks again. */
  parked(): void {
    for (const waiter of this.intentWaiters.splice(0)) waiter();
  }

  /**
   * Resolves when each act below `path` has ended or is in doubt, waiting for a person or a time, and each rollback
   * there is over: what that undoes is its own, and nobody else's to undo at the same time.
   */
  async actsSettled(path: string): Promise<void> {
    const isUnderWay = ({ id, kind, intended, phase }: Pending): boolean =>
      isUnder(id, path) && intended && (kind === 'rollback' || phase !== 'waiting');
    while (this.all().some(isUnderWay)) {
      await new Promise<void>((resolve) => this.intentWaiters.push(resolve));
    }
  }

  /** Resolves when no INTENT is open below `path`, and what was cut off there is in the books. */
  async intentsEnded(path: string): Promise<void> {
    const isOpen = ({ intended, begun, ended, closedBy }: Pending): boolean =>
      intended || ((begun || ended !== undefined) && closedBy !== undefined);
    while (this.all().some((pending) => isOpen(pending) && isUnder(pending.id, path))) {
      await new Promise<void>((resolve) => this.intentWaiters.push(resolve));
    }
  }
}
