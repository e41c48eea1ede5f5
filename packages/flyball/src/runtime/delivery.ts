import { boundReached } from '../core/budget.js';
import { crossed } from '../core/codec.js';
import { CancelledError, FlyballError } from '../core/errors.js';
import type { EffectId, EndEvent, EventOf, RunEvent } from '../core/events.js';
import type { Instruction } from '../core/run-state.js';
import type { Claim } from '../ports/engine.js';
import type { Admission } from './admission.js';
import { Boards } from './boards.js';
import type { Books } from './books.js';
import { nobodyAsked, unaskedChange, unclaimedStart } from './divergence.js';
import type { EffectsUnderWay } from './effects-under-way.js';
import type { AttemptHost } from './host.js';
import type { Journal } from './journal.js';
import type { Lineage } from './lineage.js';
import type { LoadedEntry } from './loaded-entry.js';
import { isCounted, subsOf } from './open-effects.js';
import type { Recorded } from './recorded.js';
import type { RunLife } from './run-life.js';
import { CallLog, CodeTime, ShownId } from './seen-by-code.js';
import type { Written } from './writer.js';

/** What delivery needs of the other parts of its life. */
export interface DeliveryOwner {
  readonly runId: string;
  readonly claim: Claim;
  readonly host: AttemptHost;
  readonly clock: { now(): number };
  readonly recorded: Recorded;
  readonly lineage: Lineage;
  readonly harvest: object | undefined;
  readonly journal: Journal;
  readonly books: Books;
  readonly life: RunLife;
  readonly effects: EffectsUnderWay;
  readonly admission: Admission;
  readonly inbox: { open(): Promise<void> };
}

type Delivered = EndEvent | EventOf<'trip' | 'cancel' | 'redirect' | 'stuck' | 'rollback-end'>;

/** Called when a delivery is in the books and the code that it moves comes next. */
type BeforeTurn = () => void;

/**
 * What the code is given: its history, and then what happens live.
 *
 * 1. Completions reach the code one per macrotask, in journal order, live and on replay alike.
 * 2. Live results come back from their encoded form, as history does.
 * 3. History that nobody asks for, or that asks for something else, ends this life before anything is done.
 */
export class Delivery {
  /** What people told the run so far, as the code was given it. */
  readonly instructions: Instruction[] = [];
  /** Calls and replies that the code was given. */
  readonly calls = new CallLog();
  readonly time: CodeTime;
  readonly boards = new Boards();
  /** Other runs that have said that they have ended. */
  readonly endedRuns = new Set<string>();
  private readonly run: DeliveryOwner;
  private readonly queue: Written[] = [];
  /** Of a fork: it is told the ids of its ancestors while it repeats what they did. */
  private readonly shown: ShownId | undefined;
  /** What the code was told in this life, by what it asked. */
  private readonly decidedChanges = new Map<string, boolean>();
  /** How much of the history was delivered. */
  private cursor = 0;
  private live = false;
  /** History has ended, and what was said to the run meanwhile is being heard. */
  private isHearing = false;
  /** A cancellation was heard before anything began: what was held waits until the code is told. */
  private holdsBack = false;
  /** How many completions were delivered live. */
  private turn = 0;
  private scheduled = false;

  constructor(run: DeliveryOwner) {
    const { recorded, lineage, runId } = run;
    this.run = run;
    this.shown = lineage.ancestors.length === 0 ? undefined : new ShownId(runId, lineage.ancestors, recorded);
    this.instructions.push(...recorded.before.instructions);
    this.time = new CodeTime(recorded);
  }

  /** History has ended. */
  get isLive(): boolean {
    return this.live;
  }

  get turns(): number {
    return this.turn;
  }

  get delivered(): number {
    return this.cursor;
  }

  /** Who the code is told it is. */
  get shownId(): string {
    return this.shown?.after(this.cursor) ?? this.run.runId;
  }

  /** Something is written and not delivered yet. */
  get isInLine(): boolean {
    return this.queue.length > 0;
  }

  /** Only people, signals and timers can move the run. */
  get onlyWaits(): boolean {
    return this.live && this.queue.length === 0 && this.run.effects.open.onlyWait();
  }

  asked(id: EffectId): void {
    this.shown?.asked(id);
  }

  /** History that was not delivered yet holds such an entry. */
  isAhead(isIt: (event: RunEvent) => boolean): boolean {
    return this.run.recorded.deliveries.slice(this.cursor).some(({ event }) => isIt(event));
  }

  /** True where the code runs on new entries; false, for good, where an older version already went past. */
  changed(path: string, id: string): boolean {
    const { recorded, journal } = this.run;
    const known = this.decidedChanges.get(id);
    if (known !== undefined) return known;
    const isMarked = recorded.changedIds.has(id);
    const isNew = this.live || (this.cursor >= recorded.deliveries.length && this.unclaimedStart() === undefined);
    this.decidedChanges.set(id, isMarked || isNew);
    if (isNew && !isMarked) {
      journal.fits(); // from here on, code without the change does not
      journal.tell({ type: 'changed', id, path });
    }
    return isMarked || isNew;
  }

  /** Appends an end and puts it in line for delivery. */
  record(event: Delivered): void {
    const { journal, books, effects } = this.run;
    if (journal.isOver) return; // a deadline may pass while the last entry is on its way to the disk
    const pending = 'id' in event ? effects.open.get(event.id) : undefined;
    // nobody waits for it, and it was told so before it began
    if (pending !== undefined && pending.closedBy !== undefined && !isCounted(pending)) return effects.drop(pending);
    if (pending !== undefined) pending.ended = event as EndEvent;
    books.alertOver(event, pending);
    this.queue.push(journal.push(event));
    this.kick();
    journal.flushSoon();
  }

  kick(): void {
    const { life } = this.run;
    if (this.scheduled || life.isDead) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (life.isDead) return;
      try {
        if (this.live) this.pumpLive();
        else if (!this.isHearing) this.pumpHistory();
      } catch (error) {
        life.fail(error); // thrown here it would take the process down, and every other run in it
      }
    });
  }

  private pumpLive(): void {
    const { life } = this.run;
    if (this.holdsBack && !life.isCancelling) this.startHeld();
    const next = this.queue.shift();
    if (next === undefined) return life.afterTurn();
    this.turn++;
    this.time.happened(next.at);
    this.deliver(crossed(next.event), next, () => undefined);
    this.kick();
  }

  private pumpHistory(): void {
    const { recorded, books, admission, clock } = this.run;
    const next = recorded.deliveries[this.cursor];
    if (admission.startLate()) return this.kick();
    if (next !== undefined) books.eras.beforeDelivery(this.cursor);
    if (admission.startLate()) return this.kick();
    if (next === undefined) return this.endHistory();
    const index = this.cursor++;
    clock.now(); // a replay is work: a clock that moves by itself when nothing happens must see that
    this.time.replayed(index, next.at);
    this.deliver(next.event, next, () => books.eras.beforeTurn(index));
    this.kick();
  }

  private endHistory(): void {
    const { books, admission, life, inbox, host, harvest } = this.run;
    books.eras.enterAll('end');
    if (admission.startLate()) return this.kick();
    const orphan = this.unclaimedStart() ?? unaskedChange(this.run, this.decidedChanges);
    if (orphan !== undefined) return life.fail(orphan);
    if (harvest !== undefined) return host.harvested(this.run);
    const heard = inbox.open();
    if (this.run.recorded.attempts === 0) return this.goLive(); // its messages were read a moment ago
    this.isHearing = true;
    heard.then(() => this.goLive()).catch((error: unknown) => life.fail(error));
  }

  private goLive(): void {
    const { life, journal } = this.run;
    if (life.isDead) return;
    this.live = true;
    journal.fits();
    life.time.arm();
    if (life.isCancelling) this.holdsBack = true;
    else this.startHeld();
    this.kick();
  }

  private startHeld(): void {
    this.holdsBack = false;
    this.run.admission.startHeld();
  }

  private deliver(event: RunEvent, entry: Pick<LoadedEntry, 'activeMs' | 'inherited'>, beforeTurn: BeforeTurn): void {
    const { books, effects, life } = this.run;
    books.ledger.showActive(entry.activeMs);
    if (!('id' in event) && event.type !== 'rollback-end') beforeTurn();
    switch (event.type) {
      case 'trip':
        books.bounds.delivered(event.node);
        return effects.close(event.node, boundReached(event));
      case 'cancel':
        return effects.close('', life.cancelled(event.why));
      case 'redirect':
        this.instructions.push({ by: event.by, text: event.text });
        return;
      case 'stuck':
        return life.gotStuck(event);
      case 'rollback-end':
        return this.answer(`${event.scope}!rollback`, event, beforeTurn);
      case 'post':
        this.boards.apply(event);
        // of a child that has ended: nobody waits for it
        return this.run.recorded.applied.has(event.id) && !this.live
          ? beforeTurn()
          : this.answer(event.id, event, beforeTurn);
      case 'ask-end':
      case 'complete':
      case 'abort':
      case 'spawn-end':
      case 'sleep-end':
        return this.answer(event.id, event, beforeTurn);
      case 'wait-end':
        if (!event.id.includes('!')) return this.answer(event.id, event, beforeTurn);
        beforeTurn();
        // what somebody said about the parent's acts says nothing about a fork's own
        return entry.inherited === undefined ? this.answerSub(event) : undefined;
      default:
        throw new FlyballError('JOURNAL_CORRUPT', `An entry of type ${event.type} cannot be delivered.`);
    }
  }

  private answer(id: EffectId, event: EndEvent | EventOf<'rollback-end'>, beforeTurn: BeforeTurn): void {
    const { effects, books, admission, lineage } = this.run;
    const pending = effects.open.get(id);
    if (pending === undefined) {
      beforeTurn();
      return this.unasked(id, event);
    }
    books.settle(pending, event);
    if (books.caughtUp(id)) admission.startHeld();
    if (event.type !== 'rollback-end') pending.learn?.(event);
    effects.open.remove(pending);
    if (lineage.fork?.live === true) effects.liveForkGate.left(pending);
    beforeTurn();
    if (pending.closedBy !== undefined) return;
    if (event.type === 'abort' && event.cutOff === true) pending.reject(new CancelledError(event.failure.message));
    else pending.answer(event);
  }

  /** The end of a gate or a doubt goes to the effect that waits behind it. */
  private answerSub(event: EventOf<'wait-end'>): void {
    const owner = this.run.effects.open.get(event.id.slice(0, event.id.indexOf('!')));
    if (owner === undefined) return this.unasked(event.id, event);
    const subs = subsOf(owner);
    subs.ended.set(event.id, event);
    subs.waiters.get(event.id)?.(event);
  }

  private unasked(id: EffectId, event: EndEvent | EventOf<'rollback-end'>): void {
    // an effect that ended just before its scope was closed has no reader any more
    const { effects, life } = this.run;
    if (!effects.isClosed(id)) life.fail(nobodyAsked(this.run, { id, event }));
  }

  private unclaimedStart(): FlyballError | undefined {
    const { effects } = this.run;
    return unclaimedStart(this.run, (id) => effects.open.has(id) || effects.isClosed(id));
  }
}
