import type { Amounts } from '../core/budget.js';
import type { EffectId } from '../core/events.js';
import type { Books } from './books.js';
import { wrongFingerprint } from './divergence.js';
import { effectContext } from './effect-context.js';
import type { EffectsUnderWay } from './effects-under-way.js';
import type { Journal } from './journal.js';
import type { Pending } from './open-effects.js';
import type { Recorded } from './recorded.js';
import type { RunLife } from './run-life.js';
import { hasStarted, isAgreed, wasIntended } from './started.js';

/** What admission needs of the other parts of its life. */
export interface AdmissionOwner {
  readonly recorded: Recorded;
  readonly journal: Journal;
  readonly books: Books;
  readonly life: RunLife;
  readonly effects: EffectsUnderWay;
  readonly harvest: { readonly deep: boolean } | undefined;
  readonly delivery: {
    readonly isLive: boolean;
    readonly delivered: number;
    readonly isInLine: boolean;
    kick(): void;
    asked(id: EffectId): void;
  };
}

interface Held {
  readonly pending: Pending;
  readonly want: Partial<Amounts>;
}

/**
 * Whether and when an effect that the code asks for may start.
 *
 * 1. While history remains, nothing new starts: it is held, and starts in the order of the calls when history has ended.
 * 2. What the journal says about an effect (its budget, its INTENT, its end) is taken from it, never decided again.
 * 3. Nothing starts on the heels of a bound, or in a run on its way out, unless it was intended before.
 */
export class Admission {
  private held: Held[] = [];
  private readonly run: AdmissionOwner;

  constructor(run: AdmissionOwner) {
    this.run = run;
  }

  /** Registers an effect; starts it now, or when history has ended. */
  enter(pending: Pending, want: Partial<Amounts>): void {
    const { recorded, journal, books, life, effects, delivery } = this.run;
    if (life.isDead) return; // an unloaded run's calls never resolve
    const closed = pending.scope.closedReason();
    if (closed !== undefined) return pending.reject(closed);
    const { id } = pending;
    if (recorded.starts.has(id) || recorded.ends.has(id) || recorded.stoppedCalls.has(id)) {
      const diverged = wrongFingerprint(recorded, pending);
      if (diverged !== undefined) return life.fail(diverged);
      this.recall(pending);
    }
    // a rollback that has begun is seen to its end, like an act
    if (pending.kind === 'rollback') pending.intended = true;
    if (pending.scope.open > 0) journal.tellings.overlap(pending.scope);
    effects.open.add(pending);
    delivery.asked(pending.id);
    books.reserve(pending, want);
    if (this.startsNow(pending)) this.begin(pending, want);
    else if (!recorded.ends.has(pending.id) || this.hasToRun(pending)) this.held.push({ pending, want });
    life.busy();
  }

  /** What the journal knows of it. */
  private recall(pending: Pending): void {
    const { recorded } = this.run;
    const { id } = pending;
    pending.intended = wasIntended(recorded, id);
    pending.begun = recorded.starts.get(id)?.at(-1)?.event.type === 'call-start' || recorded.stoppedCalls.has(id);
    pending.ended = recorded.ends.get(id)?.event;
  }

  private startsNow(pending: Pending): boolean {
    const { recorded, books, life, delivery } = this.run;
    const { kind, id } = pending;
    if (kind === 'spawn')
      return delivery.isLive ? life.settlement === undefined : this.hasToRun(pending) && !recorded.late.has(id);
    if (!delivery.isLive || life.isStopping || books.areBehind) return false;
    return life.settlement === undefined || kind === 'rollback';
  }

  /** A child's code has to run on replay too, unless its outcome answers for it or it has no history. */
  private hasToRun({ kind, id, reruns }: Pending): boolean {
    const { recorded, life, harvest } = this.run;
    const isOpen = harvest?.deep === true || (life.settlement === undefined && (reruns || !recorded.ends.has(id)));
    return kind === 'spawn' && recorded.starts.has(id) && isOpen;
  }

  private begin(pending: Pending, want: Partial<Amounts>): void {
    const { books } = this.run;
    // a bound was reached here and is about to close the scope: nothing starts on its heels
    if (!pending.intended && books.bounds.holds(pending.id)) return;
    const refusal = pending.kind === 'spawn' ? undefined : books.refusalOf(pending, want);
    if (refusal !== undefined) {
      books.bounds.trip(refusal);
      if (pending.reserved === undefined) books.holdCount(pending);
      if (!pending.intended) return; // what was begun under an earlier decision is seen to its end all the same
    }
    pending.reserved ??= want;
    this.drive(pending, () => pending.drive());
  }

  /** From here on it is in flight. */
  drive(pending: Pending, job: () => Promise<void>): void {
    const { life, delivery } = this.run;
    pending.phase = 'running';
    effectContext.run({ life: life.tag, inEffect: false, host: true }, () => {
      job().then(
        () => delivery.kick(),
        (error: unknown) => life.fail(error),
      );
    });
  }

  /** The body of a pure call is about to run: from here on it counts. */
  beginCall(pending: Pending, name: string): void {
    const { recorded, journal, delivery } = this.run;
    pending.begun = true;
    const { id, fp, reserved = {} } = pending;
    if (hasStarted(recorded, id)) return;
    journal.callBegins({ type: 'call-start', id, fp, name, reserved });
    // what is in line for delivery may be what cuts it off
    if (delivery.isInLine) journal.announceCalls();
  }

  /** Starts children that the process before this one came to only when its own past was over. False where there are none. */
  startLate(): boolean {
    const { recorded, books, delivery } = this.run;
    if (recorded.late.size === 0) return false;
    const isDue = ({ pending: { id } }: Held): boolean =>
      (recorded.late.get(id)?.after ?? Number.POSITIVE_INFINITY) <= delivery.delivered && books.eras.hasBegun(id);
    const due = this.held.filter(isDue);
    if (due.length === 0) return false;
    this.held = this.held.filter((one) => !isDue(one));
    for (const { pending, want } of due) if (pending.closedBy === undefined) this.begin(pending, want);
    return true;
  }

  /** Starts, in the order of the calls, what had to wait. */
  startHeld(): void {
    const { life, effects } = this.run;
    for (const { pending, want } of this.held.splice(0)) {
      if (effects.open.get(pending.id) !== pending) continue;
      // the function has ended, or nobody waits for it any more: only what was begun is seen to its end
      const isOver = pending.closedBy !== undefined || life.settlement !== undefined;
      if (isOver && !pending.intended) effects.leave(pending);
      else if (life.isStopping && !pending.intended && pending.kind !== 'spawn') this.held.push({ pending, want });
      else this.beginHeld(pending, want);
    }
  }

  /**
   * It was let wait under the budget of its time, and another one may hold by now: what the journal has not agreed to is
   * asked about again, or a run that is resumed with less would spend what it had before.
   */
  private beginHeld(pending: Pending, want: Partial<Amounts>): void {
    const { recorded } = this.run;
    const { id, reserved, kind } = pending;
    const isDecided = isAgreed(recorded, id) || recorded.ends.has(id);
    if (reserved !== undefined && !isDecided && kind !== 'spawn') {
      pending.scope.ledger.release(reserved);
      pending.reserved = undefined;
    }
    this.begin(pending, want);
  }
}
