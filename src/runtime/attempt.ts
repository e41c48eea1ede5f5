import { type Amounts, AXES, boundReached, type CountedAxis, NOTHING, type Refusal } from '../core/budget.js';
import { contentId, crossed } from '../core/codec.js';
import {
  BoundReachedError,
  CancelledError,
  ConfigError,
  EffectError,
  FlyballError,
  failureOf,
} from '../core/errors.js';
import type { EffectId, EndEvent, EventOf, RunEvent, WaitCloser } from '../core/events.js';
import { Ledger, usageOf } from '../core/ledger.js';
import type { Usage, Waiting } from '../core/outcome.js';
import type { Agent, Run } from '../core/run.js';
import type { Instruction } from '../core/run-state.js';
import type { GuardContext } from '../core/seams.js';
import type { Claim, StoredMessage } from '../ports/engine.js';
import { ActiveTime } from './active-time.js';
import { Bounds } from './bounds.js';
import { CallLog } from './call-log.js';
import { CallsUnderWay } from './calls-under-way.js';
import { nobodyAsked, unclaimedStart, wrongFingerprint } from './divergence.js';
import { effectContext } from './effect-context.js';
import { Eras } from './eras.js';
import type { AttemptHost, Settlement } from './host.js';
import { Inbox } from './inbox.js';
import type { Lineage } from './lineage.js';
import { LiveForkGate } from './live-fork-gate.js';
import { isUnder, type LoadedEntry } from './loaded-entry.js';
import { OpenEffects } from './open-effects.js';
import { OpenWaits } from './open-waits.js';
import { type Pending, subsOf } from './pending.js';
import type { Recorded } from './recorded.js';
import type { RunClock } from './run-clock.js';
import { Saga } from './saga.js';
import { Scope } from './scope.js';
import { ShownId } from './shown-id.js';
import type { StateFold } from './state-fold.js';
import { Tellings } from './tellings.js';
import { Timers } from './timers.js';
import { Writer, type Written } from './writer.js';

/**
 * One life of a run in one process: runs the agent from the top, answers what the journal holds, then goes on live.
 *
 * Invariants:
 * 1. Completions reach the code one per macrotask, in journal order, live and on replay alike.
 * 2. While history remains, nothing new starts.
 * 3. An entry has its position before anyone acts on it; what acts on the world waits until it is durable.
 * 4. Budget and guard decisions in the journal are answered from it, never made again.
 * 5. Once `dead`, no call resolves and no listener or timer of ours is left behind.
 */
export class Attempt {
  /** Tells this life from every other one. */
  readonly life = Symbol('life');
  readonly host: AttemptHost;
  readonly clock: RunClock;
  readonly claim: Claim;
  readonly recorded: Recorded;
  readonly generation: number;
  readonly lineage: Lineage;
  /** Replays only to learn from the past: makes no effect and writes nothing. */
  readonly harvest: boolean;
  /** The code of finished children runs too: otherwise their outcomes answer for them. */
  private readonly isDeep: boolean;
  readonly root: Scope;
  readonly open = new OpenEffects();
  readonly openWaits: OpenWaits;
  readonly bounds: Bounds;
  readonly eras: Eras;
  readonly timers: Timers;
  readonly time: ActiveTime;
  readonly inbox: Inbox;
  readonly writer: Writer;
  readonly saga: Saga;
  readonly tellings: Tellings;
  /** Links of prompt chains that the journal already holds. */
  readonly storedLinks = new Set<string>();
  /** Calls that guards let pass and that have not ended, with what they may spend. */
  readonly inFlight = new Map<EffectId, { readonly tool: string; readonly reserved: Partial<Amounts> }>();
  /** The line in which calls wait for their guards. */
  admissions: Promise<unknown> = Promise.resolve();
  /** Bodies that act, were stopped, and had not settled when their time was over: they may act yet. */
  readonly leftBehind = new Map<object, EffectId>();
  dead = false;
  live = false;
  /** The time of the last delivered completion, or of the life that lives the turn after it. */
  nowAt: number;
  /** When this life began. */
  lifeAt: number;
  /** What the run knows about itself. */
  readonly state: StateFold;
  readonly liveForkGate = new LiveForkGate();
  /** What people told the run so far, as the code was given it. */
  readonly instructions: Instruction[] = [];
  readonly calls = new CallLog();
  private readonly callsUnderWay = new CallsUnderWay();
  /** Ends in line for delivery that report more than was reserved: the books are about to change. */
  private readonly overInLine = new Set<EffectId>();
  continuation: { readonly state: unknown } | undefined;
  settlement: Settlement | undefined;
  /** A run on its way out starts nothing: it is being paused or given back. */
  stopping: 'pause' | 'give-back' | undefined;
  resting = false;

  private readonly scopes = new Map<string, Scope>();
  private readonly queue: Written[] = [];
  private readonly held: { readonly pending: Pending; readonly want: Partial<Amounts> }[] = [];
  private readonly leftOpen: { readonly pending: Pending; readonly goOn: () => Promise<void> }[] = [];
  private readonly shown: ShownId;
  private readonly decidedChanges = new Map<string, boolean>();
  cancelledBy: CancelledError | undefined;
  private isCancelling = false;
  private isEnding = false;
  private cursor = 0;
  private scheduled = false;
  private quietTurns = 0;
  private isToldStuck = false;

  constructor(parts: {
    readonly host: AttemptHost;
    readonly clock: RunClock;
    readonly claim: Claim;
    readonly recorded: Recorded;
    readonly generation: number;
    readonly lineage: Lineage;
    /** How long earlier lives were at work. */
    readonly workedMs: number;
    readonly harvest?: { readonly deep: boolean };
  }) {
    const { host, clock, claim, recorded, generation } = parts;
    this.host = host;
    this.clock = clock;
    this.claim = claim;
    this.recorded = recorded;
    this.generation = generation;
    this.lineage = parts.lineage;
    this.harvest = parts.harvest !== undefined;
    this.isDeep = parts.harvest?.deep ?? false;
    this.lifeAt = recorded.lastAt;
    this.nowAt = recorded.times.first ?? this.lifeAt;
    this.shown = new ShownId(claim.runId, parts.lineage.ancestors, recorded);
    this.state = recorded.state;
    this.instructions.push(...recorded.before.instructions);
    this.openWaits = new OpenWaits(recorded.openWaits);
    const ledger = new Ledger('', recorded.budgets[0]?.budget ?? recorded.budget);
    const { possibly = {}, ...spent } = recorded.before.spent;
    ledger.debit({ ...spent, wallMs: 0 }); // wall time is carried in the entries themselves
    ledger.mayHaveCost(possibly, { shown: true });
    ledger.hasSpentBefore(recorded.before.autonomySpent);
    this.root = new Scope('', ledger);
    this.scopes.set('', this.root);
    this.bounds = new Bounds((refusal) => this.tellTrip(refusal));
    this.eras = new Eras(recorded, ledger, (event) => this.tell(event));
    this.timers = new Timers(clock);
    this.time = new ActiveTime({
      clock,
      timers: this.timers,
      ledger,
      before: parts.workedMs,
      onBound: (refusal) => this.bounds.trip(refusal),
    });
    this.inbox = new Inbox(this);
    this.saga = new Saga(claim.runId, recorded, generation);
    this.tellings = new Tellings(recorded, (event) => this.tell(event));
    this.writer = new Writer({
      engine: host.engine,
      claim,
      generation,
      nextSeq: recorded.nextSeq,
      time: () => ({ at: clock.now(), activeMs: this.time.total() }),
      onDurable: (entries) => host.publish(claim.runId, entries),
    });
  }

  get runId(): string {
    return this.claim.runId;
  }

  /** Who the code is told it is. */
  get shownId(): string {
    return this.shown.after(this.cursor);
  }

  /** Runs the agent. Whoever started it learns the end through the host. */
  start(agent: Agent<unknown, unknown>, run: Run): void {
    this.nowAt = this.recorded.times.first ?? this.lifeAt;
    this.eras.enterAll('start');
    this.time.resume();
    const settle = (how: Pick<Settlement, 'outcome' | 'error'>): void => {
      // what closes the run after this moment no longer changes how the function ended
      this.settlement ??= { ...how, closedBy: this.cancelledBy ?? this.root.closedBy ?? this.bounds.atOnce };
      this.kick();
    };
    effectContext.run({ life: this.life, inEffect: false, host: false }, () => {
      this.host.aroundAgent(agent, run, this.recorded.input).then(
        (outcome) => settle({ outcome }),
        (error: unknown) => settle({ error }),
      );
    });
    this.kick();
  }

  // Effects: what the code asks for.

  /** Registers an effect; starts it now, or when history has ended. */
  enter(pending: Pending, want: Partial<Amounts>): void {
    if (this.dead) return; // an unloaded run's calls never resolve
    const closed = pending.scope.closedReason();
    if (closed !== undefined) return pending.reject(closed);
    const diverged = wrongFingerprint(this.recorded, pending);
    if (diverged !== undefined) return this.fail(diverged);
    this.tellings.overlap(pending.scope);
    // a rollback that has begun is seen to its end, like an act
    pending.intended = pending.kind === 'rollback' || this.wasIntended(pending.id);
    pending.begun =
      this.recorded.starts.get(pending.id)?.at(-1)?.event.type === 'call-start' ||
      this.recorded.stoppedCalls.has(pending.id);
    pending.ended = this.recorded.ends.get(pending.id)?.event;
    this.open.add(pending);
    this.shown.asked(pending.id);
    this.reserve(pending, want);
    if (this.startsNow(pending)) this.begin(pending, want);
    else if (!this.recorded.ends.has(pending.id) || this.hasToRun(pending)) this.held.push({ pending, want });
    this.busy();
  }

  private startsNow(pending: Pending): boolean {
    const { kind, id } = pending;
    if (kind === 'spawn')
      return this.live ? this.settlement === undefined : this.hasToRun(pending) && !this.recorded.late.has(id);
    if (!this.live || this.stopping !== undefined || this.overInLine.size > 0) return false;
    return this.settlement === undefined || kind === 'rollback';
  }

  /** A child's code has to run on replay too, unless its outcome answers for it or it has no history. */
  private hasToRun({ kind, id }: Pending): boolean {
    const isOpen = this.isDeep || (this.settlement === undefined && !this.recorded.ends.has(id));
    return kind === 'spawn' && this.recorded.starts.has(id) && isOpen;
  }

  private wasIntended(id: EffectId): boolean {
    return (
      this.recorded.starts
        .get(id)
        ?.some(({ event, inherited }) => event.type === 'intent' && inherited === undefined) === true
    );
  }

  private reserve(pending: Pending, want: Partial<Amounts>): void {
    const { ledger } = pending.scope;
    const starts = this.recorded.starts.get(pending.id);
    const last = starts?.at(-1)?.event;
    const decided =
      last !== undefined && 'reserved' in last ? last.reserved : this.recorded.ends.has(pending.id) ? want : undefined;
    if (decided === undefined) {
      if (ledger.reserve(want) === undefined) pending.reserved = want;
      else this.holdCount(pending);
      return;
    }
    // the journal agreed to this: taken without asking, and attempts that a crash cut off count as spent
    for (const { event } of starts?.slice(0, -1) ?? [])
      if (event.type === 'ask-start') ledger.mayHaveCost(event.reserved, { shown: false });
    ledger.force(decided);
    pending.reserved = decided;
  }

  /** A call whose body began before a bound stopped it counts, whether there is room to make it again or not. */
  private holdCount(pending: Pending): void {
    if (!pending.begun) return;
    pending.reserved = { toolCalls: 1 };
    pending.scope.ledger.force(pending.reserved);
  }

  private begin(pending: Pending, want: Partial<Amounts>): void {
    // a bound was reached here and is about to close the scope: nothing starts on its heels
    if (!pending.intended && this.bounds.holds(pending.id)) return;
    const refusal = pending.kind === 'spawn' ? undefined : this.refusalOf(pending, want);
    if (refusal !== undefined) {
      this.bounds.trip(refusal);
      if (pending.reserved === undefined) this.holdCount(pending);
      if (!pending.intended) return; // what was begun under an earlier decision is seen to its end all the same
    }
    pending.reserved ??= want;
    this.run(pending, () => pending.drive());
  }

  private run(pending: Pending, drive: () => Promise<void>): void {
    pending.phase = 'running';
    effectContext.run({ life: this.life, inEffect: false, host: true }, () => {
      drive().then(
        () => this.kick(),
        (error: unknown) => this.fail(error),
      );
    });
  }

  /** The body of a pure call is about to run: from here on it counts. */
  beginCall(pending: Pending, name: string): void {
    pending.begun = true;
    const { id, fp, reserved = {} } = pending;
    if (this.hasStarted(id)) return;
    this.callsUnderWay.begin({ type: 'call-start', id, fp, name, reserved });
    // what is in line for delivery may be what cuts it off
    if (this.queue.length > 0) this.announceCalls();
  }

  private announceCalls(event?: RunEvent): void {
    for (const start of this.callsUnderWay.before(event)) this.writer.push(start);
  }

  /** This run's own journal holds its start: what a fork's parent began is the parent's. */
  hasStarted(id: EffectId): boolean {
    return this.recorded.stoppedCalls.has(id) || this.isAgreed(id);
  }

  /** The journal holds what was reserved for it, and nothing since has taken that back. */
  private isAgreed(id: EffectId): boolean {
    return this.recorded.starts.get(id)?.some(({ inherited }) => inherited === undefined) === true;
  }

  private refusalOf({ scope, reserved }: Pending, want: Partial<Amounts>): Refusal | undefined {
    return this.time.reached(scope.ledger) ?? (reserved === undefined ? scope.ledger.reserve(want) : undefined);
  }

  /** The effect will never be answered: its scope was closed and it changed nothing in this life. */
  drop(pending: Pending): void {
    if (this.live && pending.begun && pending.closedBy !== undefined) this.leave(pending);
    else this.remove(pending);
  }

  private remove(pending: Pending): void {
    this.inFlight.delete(pending.id);
    if (this.open.remove(pending)) this.kick();
    this.liveForkGate.left(pending);
  }

  /** The run is at a bound, from which it can be resumed: what may be repeated then is left alone now. */
  get canGoOnLater(): boolean {
    return this.bounds.ofRun && this.cancelledBy === undefined && !this.isEnding;
  }

  /** Leaves an effect without an end, for the run that goes on to repeat. Nobody who waits for it may be forgotten. */
  leaveOpen(pending: Pending, goOn: () => Promise<void>): void {
    if (pending.closedBy === undefined) {
      // the bound is in the journal and not yet delivered: until then the code still waits for this
      pending.phase = 'held';
      pending.onAbort = () => this.leaveOpen(pending, goOn);
      return;
    }
    if (pending.intended) this.leftOpen.push({ pending, goOn });
    this.remove(pending);
  }

  /** The run will not go on after all: what was left open is seen to its end. */
  endLeftOpen(): void {
    this.isEnding = true;
    for (const { pending, goOn } of this.leftOpen.splice(0)) {
      this.open.add(pending);
      this.run(pending, goOn);
    }
  }

  scope(path: string, parent: Scope, ledger = parent.ledger): Scope {
    const known = this.scopes.get(path);
    if (known !== undefined && known.ledger === ledger) return known;
    if (known !== undefined) throw new ConfigError(`Scope ${path} is taken: give it another name.`);
    const scope = new Scope(path, ledger, parent);
    this.scopes.set(path, scope);
    return scope;
  }

  /** Forgets a scope that cannot be named again, with all below it: a run may open any number of them. */
  forget(scope: Scope): void {
    for (const child of [...scope.children]) this.forget(child);
    scope.parent?.children.delete(scope);
    this.scopes.delete(scope.path);
  }

  // The journal's end.

  /** Appends an end and puts it in line for delivery. */
  record(event: EndEvent | EventOf<'trip' | 'cancel' | 'redirect' | 'stuck' | 'rollback-end'>): void {
    if (this.dead || this.harvest) return;
    const pending = 'id' in event ? this.open.get(event.id) : undefined;
    // nobody waits for it, and it was told so before it began
    if (pending !== undefined && pending.closedBy !== undefined && !isCounted(pending)) return this.drop(pending);
    if (pending !== undefined) pending.ended = event as EndEvent;
    this.alertOver(event);
    this.queue.push(this.push(event));
    this.kick();
    this.flushSoon();
  }

  /** A model or tool that reports more than was reserved for it makes bounds soft: somebody has to know. */
  private alertOver(event: RunEvent): void {
    if (!('spent' in event) || !('id' in event)) return;
    const pending = this.open.get(event.id);
    const spent = event.spent as Partial<Amounts>;
    const over = AXES.filter((axis) => (spent[axis] ?? 0) > (pending?.reserved?.[axis] ?? 0) + 1e-9);
    if (pending?.reserved === undefined || over.length === 0) return;
    this.overInLine.add(event.id);
    const each = over.map((axis) => `${spent[axis]} ${axis} where ${pending.reserved?.[axis] ?? 0} were reserved`);
    const why = `Effect ${event.id} reports ${each.join(', ')}. Correct what its model or tool reserves.`;
    this.push({ type: 'operator-alert', alert: 'over-reservation', effect: event.id, why });
  }

  push(event: RunEvent): Written {
    this.announceCalls(event);
    const written = this.writer.push(event);
    this.state.observe(written);
    this.saga.observe(event);
    this.recorded.acts.apply({ event, generation: this.generation });
    this.openWaits.observe(event);
    return written;
  }

  private tell(event: RunEvent): void {
    if (this.dead || this.harvest) return;
    this.push(event);
    this.flushSoon();
  }

  /** Makes everything so far durable, or ends this life. Never resolves once it is dead. */
  barrier(): Promise<void> {
    if (this.dead) return never();
    return this.writer.flush().then(
      () => (this.dead ? never() : undefined),
      (error: unknown) => {
        this.fail(error);
        return never();
      },
    );
  }

  /** Results wait for company, but not for ever. */
  private flushSoon(): void {
    if (this.timers.has('flush')) return;
    this.timers.set('flush', this.host.options.flushAfterMs, () => {
      this.writer.flush().catch((error: unknown) => this.fail(error));
    });
  }

  // Bounds and cancellation.

  private tellTrip(refusal: Refusal): void {
    const ahead = this.recorded.deliveries.slice(this.cursor);
    const isTold = ahead.some(({ event }) => event.type === 'trip' && event.node === refusal.node);
    if (!isTold) this.record({ type: 'trip', ...refusal });
  }

  /** False when it comes too late for this life: then the message stays in the inbox. */
  requestCancel(by: string, why: string): boolean {
    if (this.settlement !== undefined) return false;
    if (this.isCancelling) return true;
    this.isCancelling = true;
    this.busy();
    this.record({ type: 'cancel', by, why });
    return true;
  }

  /** False when it comes too late for this life: then the message stays in the inbox. */
  redirect(by: string, text: string): boolean {
    if (this.settlement !== undefined) return false;
    this.record({ type: 'redirect', by, text });
    return true;
  }

  /** Ends everything below `path` with `reason`: in-flight work is aborted, INTENTs are seen to their end. */
  close(path: string, reason: Error, options: { readonly spareIntents?: boolean } = {}): void {
    const target = this.scopes.get(path);
    if (target === undefined || target.closedBy !== undefined) return;
    target.closedBy = reason;
    target.abort(reason);
    for (const pending of this.open.all()) {
      const isSpared = options.spareIntents === true && pending.intended;
      if (isUnder(pending.id, path) && pending.closedBy === undefined && !isSpared) this.closePending(pending, reason);
    }
  }

  private closePending(pending: Pending, reason: Error): void {
    pending.closedBy = reason;
    // what a model has reported counts from here on; calls are in the books when their ends are delivered
    if (pending.kind === 'ask' && pending.ended !== undefined) this.settle(pending, pending.ended);
    if (pending.reserved !== undefined && !isCounted(pending)) {
      // a model call that was sent may have been paid for
      const wasSent = pending.kind === 'ask' && (pending.phase === 'running' || this.recorded.starts.has(pending.id));
      pending.scope.ledger.settle(pending.reserved, {}, wasSent ? pending.reserved : {});
      pending.reserved = undefined;
    }
    if (!pending.intended) this.closeWaits(pending.id, reason);
    pending.onAbort?.(reason);
    pending.onClosed?.();
    pending.reject(reason);
    // what is in flight says so itself when it ends, and what may yet come out of the journal is looked at after that
    if (pending.phase !== 'running' && !pending.intended && (this.live || !pending.begun)) this.leave(pending);
  }

  /** It will not be made, or not again: what never began is forgotten, and of what did the end is written. */
  private leave(pending: Pending): void {
    if (pending.ended !== undefined) return;
    if (!pending.begun || pending.cutOff === undefined) return this.remove(pending);
    if (!pending.ran && !this.hasStarted(pending.id)) {
      // a fork's parent made it: it is on the parent's bill
      pending.scope.ledger.release(pending.reserved ?? {});
      pending.reserved = undefined;
    }
    pending.cutOff();
  }

  /** Whoever could have answered has to know that nobody listens any more; another life may have told it already. */
  private closeWaits(effect: EffectId, reason: Error): void {
    for (const id of this.openWaits.of(effect)) this.tell({ type: 'wait-close', id, why: this.closerIn(reason) });
  }

  private closerIn(reason: Error): WaitCloser {
    if (reason instanceof BoundReachedError) return 'bound';
    if (reason === this.cancelledBy) return 'cancel';
    return this.settlement === undefined ? 'branch' : 'end';
  }

  // The pump.

  kick(): void {
    if (this.scheduled || this.dead) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      if (this.dead) return;
      try {
        if (this.live) this.pumpLive();
        else this.pumpHistory();
      } catch (error) {
        this.fail(error); // thrown here it would take the process down, and every other run in it
      }
    });
  }

  private pumpLive(): void {
    const next = this.queue.shift();
    if (next === undefined) return this.afterTurn();
    this.quietTurns = 0;
    this.deliver(crossed(next.event), next);
    this.kick();
  }

  private pumpHistory(): void {
    const next = this.recorded.deliveries[this.cursor];
    if (this.startLate()) return this.kick();
    if (next !== undefined) this.eras.beforeDelivery(this.cursor);
    if (this.startLate()) return this.kick();
    if (next !== undefined) {
      const index = this.cursor++;
      this.clock.now(); // a replay is work: a clock that moves by itself when nothing happens must see that
      this.deliver(next.event, next, {
        nowAt: this.recorded.times.each[index] ?? Math.max(next.at, this.lifeAt),
        beforeTurn: () => this.eras.beforeTurn(index),
      });
      return this.kick();
    }
    this.eras.enterAll('end');
    if (this.startLate()) return this.kick();
    const orphan = this.unclaimedStart();
    if (orphan !== undefined) return this.fail(orphan);
    if (this.harvest) return this.host.harvested(this);
    this.live = true;
    this.time.arm();
    this.startHeld();
    this.inbox.open();
    this.kick();
  }

  /** Starts children that the process before this one came to only when its own past was over. False where there are none. */
  private startLate(): boolean {
    if (this.recorded.late.size === 0) return false;
    const isDue = ({ pending: { id } }: { readonly pending: Pending }): boolean =>
      (this.recorded.late.get(id)?.after ?? Number.POSITIVE_INFINITY) <= this.cursor && this.eras.hasBegun(id);
    const due = this.held.filter(isDue);
    if (due.length === 0) return false;
    this.held.splice(0, this.held.length, ...this.held.filter((one) => !isDue(one)));
    for (const { pending, want } of due) if (pending.closedBy === undefined) this.begin(pending, want);
    return true;
  }

  /** Starts, in the order of the calls, what had to wait. */
  startHeld(): void {
    for (const { pending, want } of this.held.splice(0)) {
      if (this.open.get(pending.id) !== pending) continue;
      // the function has ended, or nobody waits for it any more: only what was begun is seen to its end
      const isOver = pending.closedBy !== undefined || this.settlement !== undefined;
      if (isOver && !pending.intended) this.leave(pending);
      else if (this.stopping !== undefined && !pending.intended && pending.kind !== 'spawn')
        this.held.push({ pending, want });
      else this.beginHeld(pending, want);
    }
  }

  /**
   * It was let wait under the budget of its time, and another one may hold by now: what the journal has not agreed to is
   * asked about again, or a run that is resumed with less would spend what it had before.
   */
  private beginHeld(pending: Pending, want: Partial<Amounts>): void {
    const { id, reserved, kind } = pending;
    const isDecided = this.isAgreed(id) || this.recorded.ends.has(id);
    if (reserved !== undefined && !isDecided && kind !== 'spawn') {
      pending.scope.ledger.release(reserved);
      pending.reserved = undefined;
    }
    this.begin(pending, want);
  }

  private deliver(
    event: RunEvent,
    entry: Pick<LoadedEntry, 'at' | 'activeMs' | 'inherited'>,
    turn: { readonly nowAt: number; readonly beforeTurn: () => void } = {
      nowAt: entry.at,
      beforeTurn: () => undefined,
    },
  ): void {
    this.nowAt = turn.nowAt;
    this.root.ledger.showActive(entry.activeMs);
    if (!('id' in event) && event.type !== 'rollback-end') turn.beforeTurn();
    switch (event.type) {
      case 'trip':
        this.bounds.delivered(event.node);
        return this.close(event.node, boundReached(event));
      case 'cancel':
        this.isCancelling = true;
        this.cancelledBy = new CancelledError(event.why);
        return this.close('', this.cancelledBy);
      case 'redirect':
        this.instructions.push({ by: event.by, text: event.text });
        return;
      case 'stuck':
        this.settlement ??= {
          error: event.failure === undefined ? foreignAwait() : new EffectError(event.failure),
          closedBy: this.cancelledBy ?? this.root.closedBy,
        };
        return;
      case 'rollback-end':
        return this.answer(`${event.scope}!rollback`, event, turn.beforeTurn);
      case 'ask-end':
      case 'complete':
      case 'abort':
      case 'spawn-end':
      case 'sleep-end':
        return this.answer(event.id, event, turn.beforeTurn);
      case 'wait-end':
        if (!event.id.includes('!')) return this.answer(event.id, event, turn.beforeTurn);
        turn.beforeTurn();
        // what somebody said about the parent's acts says nothing about a fork's own
        return entry.inherited === undefined ? this.answerSub(event) : undefined;
      default:
        throw new FlyballError('JOURNAL_CORRUPT', `An entry of type ${event.type} cannot be delivered.`);
    }
  }

  private answer(id: EffectId, event: EndEvent | EventOf<'rollback-end'>, beforeTurn: () => void): void {
    const pending = this.open.get(id);
    if (pending === undefined) {
      beforeTurn();
      return this.unasked(id, event.type);
    }
    this.settle(pending, event);
    if (this.overInLine.delete(id) && this.overInLine.size === 0) this.startHeld();
    if (event.type !== 'rollback-end') pending.learn?.(event);
    this.open.remove(pending);
    this.liveForkGate.left(pending);
    beforeTurn();
    if (pending.closedBy !== undefined) return;
    if (event.type === 'abort' && event.cutOff === true) pending.reject(new CancelledError(event.failure.message));
    else pending.answer(event);
  }

  /** The end of a gate or a doubt goes to the effect that waits behind it. */
  private answerSub(event: EventOf<'wait-end'>): void {
    const owner = this.open.get(event.id.slice(0, event.id.indexOf('!')));
    if (owner === undefined) return this.unasked(event.id, event.type);
    const subs = subsOf(owner);
    subs.ended.set(event.id, event);
    subs.waiters.get(event.id)?.(event);
  }

  private unasked(id: EffectId, what: string): void {
    // an effect that ended just before its scope was closed has no reader any more
    if (!this.isClosed(id)) this.fail(nobodyAsked(id, what));
  }

  private settle(pending: Pending, event: EndEvent | EventOf<'rollback-end'>): void {
    const { ledger, meter } = pending.scope;
    if (pending.reserved !== undefined)
      ledger.settle(
        pending.reserved,
        'spent' in event ? (event.spent ?? {}) : {},
        'possibly' in event ? (event.possibly ?? {}) : {},
      );
    pending.reserved = undefined;
    this.tellings.warn(ledger, this.eras.current);
    this.inFlight.delete(pending.id);
    if (pending.kind !== 'call' || (event.type !== 'complete' && event.type !== 'abort')) return;
    if (pending.polls || (event.type === 'abort' && event.cutOff === true)) return; // to see the same again is what it is for
    const result = event.type === 'complete' ? event.result : event.failure.message;
    const changed = event.type === 'complete' && event.failure === undefined && this.saga.intents.has(event.id);
    const stale = meter.record(pending.fp, contentId(JSON.stringify(result) ?? ''), { changed });
    const limit = ledger.effectiveLimits().noProgress;
    if (stale >= limit && this.live)
      this.bounds.trip({ node: ledger.path, bound: 'noProgress', limit, spent: stale, wanted: 1, left: 0 });
  }

  private unclaimedStart(): FlyballError | undefined {
    return unclaimedStart(this.recorded, (id) => this.open.has(id) || this.isClosed(id));
  }

  private isClosed(id: EffectId): boolean {
    return this.scopes.get(id.slice(0, id.indexOf('#')))?.closedReason() !== undefined;
  }

  // Turns: what happens when nothing is in line.

  private afterTurn(): void {
    if (this.resting) return;
    if (this.settlement !== undefined) {
      this.startHeld(); // a pause is for a run that goes on: what this one has begun to undo is seen to its end
      this.host.settled(this);
    } else {
      if (this.stopping === 'pause' && !this.open.areActing()) return this.host.stopped(this);
      if (this.open.cannotMove()) return this.suspectForeignAwait();
    }
    if (this.onlyWaits()) this.suspendSoon();
  }

  /** Only people, signals and timers can move the run. */
  onlyWaits(): boolean {
    return this.queue.length === 0 && this.open.onlyWait();
  }

  /** The code waits for something that is not an effect: a raw fetch or timer, which no replay could repeat. */
  private suspectForeignAwait(): void {
    if (this.isToldStuck) return;
    if (this.quietTurns++ < this.host.options.foreignTurns) return this.kick();
    this.isToldStuck = true;
    // written down, because it is judged by turns: a later life must come to the same end
    this.record({ type: 'stuck' });
  }

  /**
   * Its code left an error that nobody caught. Written down like any other end of the code: a later life, in which the
   * same promise may be rejected a turn later or not at all, must come to it too.
   */
  uncaught(error: unknown): void {
    if (this.dead || this.settlement !== undefined || this.isToldStuck) return;
    this.isToldStuck = true;
    if (this.recorded.deliveries.slice(this.cursor).some(({ event }) => event.type === 'stuck')) return;
    const { message, originalCode } = failureOf(error);
    this.record({
      type: 'stuck',
      failure: {
        code: 'UNCAUGHT',
        message: `Code of this run left an error that nobody caught: ${message}. Await every promise, or catch its error.`,
        retryable: false,
        ...(originalCode === undefined ? {} : { originalCode }),
      },
    });
  }

  private suspendSoon(): void {
    this.time.pause();
    if (!this.timers.has('suspend'))
      this.timers.set('suspend', this.host.options.suspendAfterMs, () => this.host.idle(this));
  }

  /** Something moves again. */
  busy(): void {
    this.timers.clear('suspend');
    if (!this.dead) this.time.resume();
  }

  /** The message stays in the inbox until the run rests: a life that ends before that leaves the wish to the next. */
  requestPause(message: StoredMessage): void {
    if (this.pauses.some(({ number }) => number === message.number)) return;
    if (this.stopping === undefined) this.stopping = 'pause';
    this.pauses.push(message);
    this.kick();
  }
  readonly pauses: StoredMessage[] = [];

  /** Someone resumed the run: a pause that had not taken effect is forgotten. */
  letGoOn(by: string): void {
    for (const { number } of this.pauses.splice(0)) this.writer.take(number);
    if (this.stopping === 'pause') this.stopping = undefined;
    this.push({ type: 'run-resume', by });
    this.startHeld();
    this.kick();
  }

  waiting(): Waiting[] {
    return this.open.all().flatMap((pending) => this.inbox.waitingOf(pending));
  }

  // Ends.

  /** This life cannot go on. The run itself is untouched: what is durable can be resumed. */
  fail(error: unknown): void {
    if (this.dead) return;
    this.unload();
    const reason = error instanceof Error ? error : new Error(String(error));
    for (const pending of this.open.all()) pending.onAbort?.(reason);
    this.host.broke(this, error);
  }

  unload(): void {
    this.dead = true;
    this.timers.clearAll();
    this.inbox.close();
  }

  /** True where the code runs on new entries; false, for good, where an older version already went past. */
  changed(id: string): boolean {
    if (this.recorded.changedIds.has(id)) return true;
    const known = this.decidedChanges.get(id);
    if (known !== undefined) return known;
    const isOld = !this.live && (this.cursor < this.recorded.deliveries.length || this.unclaimedStart() !== undefined);
    this.decidedChanges.set(id, !isOld);
    if (!isOld) this.tell({ type: 'changed', id });
    return !isOld;
  }

  /** Fixes a value for the whole run; answers the one that stands. */
  pin(name: string, value: unknown): unknown {
    const known = this.state.pinned(name);
    if (known !== undefined) return known.value;
    this.tell({ type: 'pin', name, value });
    return value;
  }

  usage(): Usage {
    const spent = { ...this.root.ledger.spent };
    const possibly = { ...this.root.ledger.possibly };
    // at a bound: bodies that began, and whose ends only a run that goes on will know
    for (const { pending } of this.leftOpen) {
      const { toolCalls = 0, ...others } = pending.reserved ?? {};
      spent.toolCalls += toolCalls;
      for (const axis of AXES) if (axis !== 'toolCalls') possibly[axis] += others[axis] ?? 0;
    }
    return { ...usageOf({ spent, possibly }), wallMs: this.time.total() };
  }

  /** What was spent, and what calls that guards let pass may still spend. */
  private usageInFlight(): Amounts {
    if (this.inFlight.size === 0) return this.usage();
    const total: Record<CountedAxis, number> = { ...NOTHING, ...this.root.ledger.spent };
    for (const { reserved } of this.inFlight.values()) for (const axis of AXES) total[axis] += reserved[axis] ?? 0;
    return total;
  }

  /** Calls side by side must see each other, or each would be judged as if it were alone. */
  private toolsInFlight(but: EffectId): readonly string[] {
    return [...this.inFlight].flatMap(([id, { tool }]) => (id === but ? [] : [tool]));
  }

  guardContext(at: string): GuardContext {
    const { tenant, subject } = this.claim.record;
    const { calledTools, triedTools } = this.state.state();
    return {
      runId: this.runId,
      tenant,
      subject,
      at,
      calledTools,
      triedTools: [...new Set([...triedTools, ...this.toolsInFlight(at)])],
      budget: {
        limits: this.root.ledger.limits,
        spent: this.usageInFlight(),
        before: this.root.ledger.spentBefore(),
      },
      decide: (decision) => this.push({ type: 'guard-decision', id: at, ...decision }),
    };
  }
}

/** Its reservation is kept until its end is delivered, whoever waits for that: it took place, or may have. */
function isCounted({ intended, begun, ended }: Pending): boolean {
  return intended || begun || ended !== undefined;
}

function foreignAwait(): FlyballError {
  const message =
    'The agent waits for something that did not go through `run` (a raw fetch, timer or file access). Wrap it in run.step(…).';
  return new FlyballError('FOREIGN_AWAIT', message);
}

/** What an unloaded run's calls return. A new one each time: whoever awaits a shared one would never be collected. */
function never(): Promise<never> {
  return new Promise(() => undefined);
}
