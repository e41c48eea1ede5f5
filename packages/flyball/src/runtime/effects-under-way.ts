import { type Amounts, AXES } from '../core/budget.js';
import { BoundReachedError, ConfigError, failureOf } from '../core/errors.js';
import type { EffectId, EventOf, WaitCloser } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import { usageOf } from '../core/ledger.js';
import type { Usage } from '../core/outcome.js';
import type { ScopeKind } from './best-so-far.js';
import type { Books } from './books.js';
import type { Guards } from './guards.js';
import type { Journal } from './journal.js';
import type { Lineage } from './lineage.js';
import { LiveForkGate } from './live-fork-gate.js';
import { isUnder } from './loaded-entry.js';
import { isCounted, OpenEffects, type Pending, Scope } from './open-effects.js';
import type { Recorded } from './recorded.js';
import type { RunLife } from './run-life.js';
import { hasStarted } from './started.js';

/** What effects under way need of the other parts of their life. */
export interface EffectsOwner {
  readonly recorded: Recorded;
  readonly journal: Journal;
  readonly books: Books;
  readonly guards: Guards;
  readonly life: RunLife;
  readonly lineage: Lineage;
  readonly admission: { drive(pending: Pending, job: () => Promise<void>): void };
  readonly delivery: { readonly isLive: boolean; kick(): void; record(event: EventOf<'ask-end'>): void };
}

/**
 * The effects under way and the scopes they are in: closed, dropped, or left for a run that goes on. Part of
 * admission.
 *
 * 1. What has an INTENT is seen to its end, whoever still waits for it.
 * 2. A closed scope answers everything in it with the reason, once, and nothing starts in it again.
 * 3. A call whose body began counts, whatever becomes of it: it leaves with an end in the journal.
 */
export class EffectsUnderWay {
  readonly root: Scope;
  readonly open = new OpenEffects();
  readonly liveForkGate = new LiveForkGate();
  /** Bodies that act, were stopped, and had not settled when their time was over: they may act yet. */
  readonly leftBehind = new Map<object, EffectId>();
  private readonly scopes = new Map<string, Scope>();
  private readonly leftOpen: { readonly pending: Pending; readonly goOn: () => Promise<void> }[] = [];
  /** The run does not go on after its bound. */
  private isEnding = false;
  private readonly run: EffectsOwner;

  constructor(run: EffectsOwner) {
    this.run = run;
    this.root = new Scope('', run.books.ledger);
    // also what is told again while history is repeated: code that does not fit it, or is cancelled before, tells nothing
    this.root.best.begin(run.recorded.state.bestSoFar);
    this.scopes.set('', this.root);
  }

  scope(path: string, parent: Scope, as: { readonly ledger?: Ledger; readonly kind?: ScopeKind } = {}): Scope {
    const { ledger = parent.ledger, kind } = as;
    const known = this.scopes.get(path);
    if (known !== undefined && known.ledger === ledger) return known;
    if (known !== undefined) throw new ConfigError(`Scope ${path} already exists. Choose another name.`);
    const scope = new Scope(path, ledger, parent, kind);
    this.scopes.set(path, scope);
    return scope;
  }

  /** Forgets a scope that cannot be named again, with all below it: a run may open any number of them. */
  forget(scope: Scope): void {
    for (const child of [...scope.children]) this.forget(child);
    scope.parent?.forget(scope);
    this.scopes.delete(scope.path);
  }

  /** Nothing more is said to what was in that scope. */
  isClosed(id: EffectId): boolean {
    return this.scopes.get(id.slice(0, id.indexOf('#')))?.closedReason() !== undefined;
  }

  /** The effect will never be answered: its scope was closed and it changed nothing in this life. */
  drop(pending: Pending): void {
    if (this.run.delivery.isLive && pending.begun && pending.closedBy !== undefined) this.leave(pending);
    else this.remove(pending);
  }

  private remove(pending: Pending): void {
    this.run.guards.ended(pending.id);
    if (this.open.remove(pending)) this.run.delivery.kick();
    if (this.run.lineage.fork?.live === true) this.liveForkGate.left(pending);
  }

  /** It will not be made, or not again: what never began is forgotten, and of what did the end is written. */
  leave(pending: Pending): void {
    if (pending.ended !== undefined) return;
    if (!pending.begun || pending.cutOff === undefined) return this.remove(pending);
    if (!pending.ran && !hasStarted(this.run.recorded, pending.id)) {
      // a fork's parent made it: it is on the parent's bill
      pending.scope.ledger.release(pending.reserved ?? {});
      pending.reserved = undefined;
    }
    pending.cutOff();
  }

  /** The run is at a bound, from which it can be resumed: what may be repeated then is left alone now. */
  get canGoOnLater(): boolean {
    return this.run.books.bounds.ofRun && this.run.life.cancelledBy === undefined && !this.isEnding;
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
      this.run.admission.drive(pending, goOn);
    }
  }

  /** Ends everything below `path` with `reason`: in-flight work is aborted, INTENTs are seen to their end. */
  close(path: string, reason: Error, options: { readonly spareIntents?: boolean } = {}): void {
    const target = this.scopes.get(path);
    if (target === undefined || target.closedBy !== undefined) return;
    target.closedBy = reason;
    target.abort(reason);
    // what was asked for last goes first: a child has given back its part, and told what it spent, before what is around it
    for (const pending of [...this.open.all()].toReversed()) {
      const isSpared = options.spareIntents === true && pending.intended;
      if (isUnder(pending.id, path) && pending.closedBy === undefined && !isSpared) this.closeOne(pending, reason);
    }
  }

  private closeOne(pending: Pending, reason: Error): void {
    const { books, recorded, delivery } = this.run;
    if (pending.used !== undefined && pending.ended === undefined && delivery.isLive)
      this.cutOffAsk(pending, pending.used(), reason);
    pending.closedBy = reason;
    // what a model has reported counts from here on; calls are in the books when their ends are delivered
    if (pending.kind === 'ask' && pending.ended !== undefined) books.settle(pending, pending.ended);
    if (pending.reserved !== undefined && !isCounted(pending)) {
      // a model call that was sent may have been paid for
      const wasSent = pending.kind === 'ask' && (pending.phase === 'running' || recorded.starts.has(pending.id));
      pending.scope.ledger.settle(pending.reserved, {}, wasSent ? pending.reserved : {});
      pending.reserved = undefined;
    }
    if (!pending.intended) this.closeWaits(pending.id, reason);
    pending.onAbort?.(reason);
    pending.onClosed?.();
    pending.reject(reason);
    // what is in flight says so itself when it ends, and what may yet come out of the journal is looked at after that
    if (pending.phase !== 'running' && !pending.intended && (delivery.isLive || !pending.begun)) this.leave(pending);
  }

  /** A model call is stopped whose adapter knows what was streamed: that is charged, and in the journal for every replay. */
  private cutOffAsk({ id }: Pending, spent: Partial<Amounts>, reason: Error): void {
    this.run.delivery.record({ type: 'ask-end', id, failure: failureOf(reason), spent, cutOff: true });
  }

  /** Whoever could have answered has to know that nobody listens any more; another life may have told it already. */
  private closeWaits(effect: EffectId, reason: Error): void {
    const { journal } = this.run;
    for (const id of journal.openWaits.of(effect)) journal.tell({ type: 'wait-close', id, why: this.closerIn(reason) });
  }

  private closerIn(reason: Error): WaitCloser {
    if (reason instanceof BoundReachedError) return 'bound';
    if (reason === this.run.life.cancelledBy) return 'cancel';
    return this.run.life.settlement === undefined ? 'branch' : 'end';
  }

  usage(): Usage {
    const { ledger } = this.root;
    const spent = { ...ledger.spent };
    const possibly = { ...ledger.possibly };
    // bodies that began and whose ends are not in the books: a call in doubt, or one that is under way while others rest
    for (const pending of this.open.all())
      if (pending.kind === 'call' && isCounted(pending)) spent.toolCalls += pending.reserved?.toolCalls ?? 0;
    // at a bound: those whose ends only a run that goes on will know
    for (const { pending } of this.leftOpen) {
      const { toolCalls = 0, ...others } = pending.reserved ?? {};
      spent.toolCalls += toolCalls;
      for (const axis of AXES) if (axis !== 'toolCalls') possibly[axis] += others[axis] ?? 0;
    }
    return { ...usageOf({ spent, possibly }), wallMs: this.run.life.time.total() };
  }
}
