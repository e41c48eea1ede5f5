import { type Amounts, AXES, type Axis, type CountedAxis } from '../core/budget.js';
import type { EffectId } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { Claim } from '../ports/engine.js';
import type { Books } from './books.js';
import { wrongFingerprint } from './divergence.js';
import { effectContext } from './effect-context.js';
import type { EffectsUnderWay } from './effects-under-way.js';
import type { AttemptHost } from './host.js';
import type { Journal } from './journal.js';
import { isUnder } from './loaded-entry.js';
import { isLeaf, type Pending } from './open-effects.js';
import type { Recorded } from './recorded.js';
import type { RunLife } from './run-life.js';
import { hasStarted, isAgreed, wasIntended } from './started.js';

/** What admission needs of the other parts of its life. */
export interface AdmissionOwner {
  readonly claim: Claim;
  readonly host: AttemptHost;
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

/** Waits for room in the budget. `least`: what it takes where there never is as much as it wants. */
interface InLine extends Held {
  readonly least: () => Partial<Amounts>;
}

/** Of what is reserved on these axes something usually comes back; a call that is counted was made. */
const MAY_COME_BACK: Readonly<Record<Axis, boolean>> = {
  tokensIn: true,
  tokensOut: true,
  costUsd: true,
  filesChanged: true,
  linesChanged: true,
  iterations: false,
  modelCalls: false,
  toolCalls: false,
  wallMs: false,
  depth: false,
  width: false,
  deadline: false,
  noProgress: false,
};

/**
 * Whether and when an effect that the code asks for may start.
 *
 * 1. While history remains, nothing new starts: it is held, and starts in the order of the calls when history has ended.
 * 2. What the journal says about an effect (its budget, its INTENT, its end) is taken from it, never decided again.
 * 3. Nothing starts on the heels of a bound, or in a run on its way out, unless it was intended before.
 * 4. What does not fit only because of what is in flight waits in line, and is no bound until nothing is in flight.
 */
export class Admission {
  private held: Held[] = [];
  private inLine: InLine[] = [];
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
      const diverged = wrongFingerprint(this.run, pending);
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
    if (life.isCancelling && kind !== 'rollback' && !pending.intended) return false; // it is closed as soon as the code is told
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
      if (this.waitsForRoom(pending, want)) return;
      books.bounds.trip(refusal);
      if (pending.reserved === undefined) books.holdCount(pending);
      if (!pending.intended) return; // what was begun under an earlier decision is seen to its end all the same
    }
    pending.reserved ??= want;
    this.drive(pending, () => pending.drive());
  }

  /** Puts it in line where what is in flight may leave enough room for it. False: it has to do with what there is. */
  waitsForRoom(pending: Pending, want: Partial<Amounts>, least: () => Partial<Amounts> = () => want): boolean {
    if (pending.intended || pending.begun || !this.isHeldUp(pending, want)) return false;
    pending.phase = 'held';
    this.inLine.push({ pending, want, least });
    return true;
  }

  private isHeldUp(pending: Pending, want: Partial<Amounts>): boolean {
    const { ledger } = pending.scope;
    const refusal = ledger.refuses(want);
    if (refusal === undefined || !MAY_COME_BACK[refusal.bound] || !couldFit(ledger, want)) return false;
    const axis = refusal.bound as CountedAxis;
    // those in line have nothing reserved; one that waits for a person may do so for days
    const holds = (other: Pending): boolean =>
      other !== pending && other.phase !== 'waiting' && isLeaf(other) && (other.reserved?.[axis] ?? 0) > 0;
    return this.run.effects.open.all().some((other) => holds(other) && isUnder(other.id, refusal.node));
  }

  /** Nothing is in line for delivery: starts what has room by now, in order. What shares a budget does not overtake. */
  letIn(): void {
    const { life, books, effects } = this.run;
    if (this.inLine.length === 0 || life.isStopping || books.areBehind) return;
    const behind = new Set<Ledger>();
    for (const one of this.inLine.splice(0)) {
      const { pending, want, least } = one;
      if (effects.open.get(pending.id) !== pending || pending.closedBy !== undefined) continue;
      const { ledger } = pending.scope;
      if (behind.has(ledger) || this.isHeldUp(pending, want)) {
        behind.add(ledger);
        this.inLine.push(one);
      } else this.begin(pending, ledger.refuses(want) === undefined ? want : least());
    }
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

  /**
   * Starts children that an earlier process came to only when its own past was over: all of one process in one turn, and
   * those of the next one in the turn after it. What the first did in between was known to the others when they began,
   * also where nothing was delivered meanwhile. False where there are none.
   */
  startLate(): boolean {
    const { recorded } = this.run;
    if (recorded.late.size === 0) return false;
    const due = this.held.filter(({ pending: { id } }) => this.isLateAndDue(id));
    if (due.length === 0) return false;
    const cameTo = ({ pending: { id } }: Held): number => recorded.late.get(id)?.process ?? 0;
    const first = due.reduce((least, one) => Math.min(least, cameTo(one)), Number.POSITIVE_INFINITY);
    const starting = new Set(due.filter((one) => cameTo(one) === first));
    this.held = this.held.filter((one) => !starting.has(one));
    for (const { pending, want } of starting) if (pending.closedBy === undefined) this.begin(pending, want);
    return true;
  }

  private isLateAndDue(id: EffectId): boolean {
    const { recorded, books, delivery } = this.run;
    const after = recorded.late.get(id)?.after ?? Number.POSITIVE_INFINITY;
    return after <= delivery.delivered && books.eras.hasBegun(id);
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

function couldFit(ledger: Ledger, want: Partial<Amounts>): boolean {
  return AXES.every((axis) => (want[axis] ?? 0) <= ledger.mostLeft(axis) + 1e-9);
}
