import { type Amounts, AXES, boundReached, type CountedAxis, NOTHING, type Refusal } from '../core/budget.js';
import { contentId } from '../core/codec.js';
import type { BoundReachedError } from '../core/errors.js';
import type { EffectId, EndEvent, EventOf, RunEvent } from '../core/events.js';
import { Ledger, usageOf } from '../core/ledger.js';
import type { Usage } from '../core/outcome.js';
import { Eras } from './eras.js';
import type { Journal } from './journal.js';
import { isUnder } from './loaded-entry.js';
import type { Pending, Scope } from './open-effects.js';
import type { Recorded } from './recorded.js';

/** The part of a limit from which on its use is worth a word. */
const WARN_FROM = 0.8;

/** What the books need of the life they are kept for. */
export interface BooksOwner {
  readonly recorded: Recorded;
  readonly journal: Journal;
  readonly guards: { ended(id: EffectId): void };
  readonly life: { readonly time: { reached(ledger: Ledger): Refusal | undefined; total(): number } };
  readonly delivery: {
    readonly isLive: boolean;
    isAhead(isIt: (event: RunEvent) => boolean): boolean;
    record(event: EventOf<'trip'>): void;
  };
}

/**
 * The budget of a run in one life of it. Part of admission.
 *
 * 1. Nothing starts before its worst case is reserved; a reservation is settled once, when the end is delivered or the
 *    effect is closed.
 * 2. What the journal agreed to is taken without asking: budget decisions are answered from it, never made again.
 * 3. A bound is told once, and closes its level when it is delivered.
 */
export class Books {
  /** The run's own ledger: those of children are below it. */
  readonly ledger: Ledger;
  readonly bounds: Bounds;
  readonly eras: Eras;
  /** Ends in line for delivery that report more than was reserved: the books are about to change. */
  private readonly over = new Set<EffectId>();
  private readonly run: BooksOwner;

  constructor(run: BooksOwner) {
    const { recorded } = run;
    this.run = run;
    this.ledger = new Ledger('', recorded.budgets[0]?.budget ?? recorded.budget);
    const { possibly = {}, ...spent } = recorded.before.spent;
    this.ledger.debit({ ...spent, wallMs: 0 }); // wall time is carried in the entries themselves
    this.ledger.mayHaveCost(possibly, { shown: true });
    this.ledger.hasSpentBefore(recorded.before.autonomySpent);
    this.bounds = new Bounds((refusal) => this.tellTrip(refusal));
    this.eras = new Eras(
      recorded,
      this.ledger,
      (event) => run.journal.tell(event),
      // what was spent before may be most of it, and nothing more need be spent under it
      (ledgers) => {
        for (const ledger of ledgers) this.warn(ledger);
      },
    );
  }

  private tellTrip(refusal: Refusal): void {
    const { delivery } = this.run;
    const isTold = delivery.isAhead((event) => event.type === 'trip' && event.node === refusal.node);
    if (!isTold) delivery.record({ type: 'trip', ...refusal });
  }

  /** Takes what the journal agreed to; else asks, and leaves it unreserved where there is no room. */
  reserve(pending: Pending, want: Partial<Amounts>): void {
    const { ledger } = pending.scope;
    const { starts: allStarts, ends } = this.run.recorded;
    const starts = allStarts.get(pending.id);
    const last = starts?.at(-1)?.event;
    const decided = last !== undefined && 'reserved' in last ? last.reserved : ends.has(pending.id) ? want : undefined;
    if (decided === undefined) {
      if (ledger.reserve(want) === undefined) pending.reserved = want;
      else {
        this.holdCount(pending);
        this.eras.wants(pending, want);
      }
      return;
    }
    // the journal agreed to this: taken without asking, and attempts that a crash cut off count as possibly paid (`usage.possibly`)
    for (const { event } of starts?.slice(0, -1) ?? [])
      if (event.type === 'ask-start') ledger.mayHaveCost(event.reserved, { shown: false });
    ledger.force(decided);
    pending.reserved = decided;
  }

  /** A call whose body began before a bound stopped it counts, whether there is room to make it again or not. */
  holdCount(pending: Pending): void {
    if (!pending.begun) return;
    pending.reserved = { toolCalls: 1 };
    pending.scope.ledger.force(pending.reserved);
  }

  /** Why it may not start now. */
  refusalOf({ scope, reserved }: Pending, want: Partial<Amounts>): Refusal | undefined {
    const outOfTime = this.run.life.time.reached(scope.ledger);
    return outOfTime ?? (reserved === undefined ? scope.ledger.reserve(want) : undefined);
  }

  settle(pending: Pending, event: EndEvent | EventOf<'rollback-end'>): void {
    const { ledger } = pending.scope;
    if (pending.reserved !== undefined)
      ledger.settle(
        pending.reserved,
        'spent' in event ? (event.spent ?? {}) : {},
        'possibly' in event ? (event.possibly ?? {}) : {},
      );
    pending.reserved = undefined;
    this.warn(ledger);
    if (pending.judged) this.run.guards.ended(pending.id);
    if (pending.kind === 'call' && (event.type === 'complete' || event.type === 'abort'))
      this.meter(pending, event, pending.scope);
  }

  /** What a child or code with a part of the budget spent on the bill of this run. */
  usageOf(part: Ledger): Usage {
    const spent = this.eras.isBilledElsewhere ? { spent: NOTHING, possibly: NOTHING } : part;
    return { ...usageOf(spent), wallMs: this.run.life.time.total() - part.activeFrom };
  }

  /** Tells whoever watches when a budget is nearly used up. */
  warn(ledger: Ledger): void {
    const warnings = ledger.warnings(WARN_FROM);
    if (warnings.length > 0) this.run.journal.tellings.warn(warnings, this.eras.current);
  }

  /** Calls that see the same again and again do not get the run further. */
  private meter(pending: Pending, event: EventOf<'complete' | 'abort'>, { ledger, meter }: Scope): void {
    if (pending.polls || (event.type === 'abort' && event.cutOff === true)) return; // to see the same again is what it is for
    const result = event.type === 'complete' ? event.result : event.failure.message;
    const changed =
      event.type === 'complete' && event.failure === undefined && this.run.journal.saga.intents.has(event.id);
    const stale = meter.record(pending.fp, contentId(JSON.stringify(result) ?? ''), { changed });
    const limit = ledger.effectiveLimits().noProgress;
    if (stale >= limit && this.run.delivery.isLive)
      this.bounds.trip({ node: ledger.path, bound: 'noProgress', limit, spent: stale, wanted: 1, left: 0 });
  }

  /** A model or tool that reports more than was reserved for it makes bounds soft: somebody has to know. */
  alertOver(event: RunEvent, pending: Pending | undefined): void {
    if (!('spent' in event) || !('id' in event)) return;
    const spent = event.spent as Partial<Amounts>;
    // what another run used was counted as possibly spent: that it was spent takes nothing more
    const back = event.type === 'complete' && event.ofRun !== undefined ? event.possibly : undefined;
    const most = (axis: CountedAxis): number => (pending?.reserved?.[axis] ?? 0) - (back?.[axis] ?? 0) + 1e-9;
    const over = AXES.filter((axis) => (spent[axis] ?? 0) > most(axis));
    if (pending?.reserved === undefined || over.length === 0) return;
    this.over.add(event.id);
    const each = over.map((axis) => `${spent[axis]} ${axis} where ${pending.reserved?.[axis] ?? 0} were reserved`);
    const why = `Effect ${event.id} reports ${each.join(', ')}. Correct what its model or tool reserves.`;
    this.run.journal.push({ type: 'operator-alert', alert: 'over-reservation', effect: event.id, why });
  }

  /** An end that reports more than was reserved is in line: until it is in the books, nobody knows what is left. */
  get areBehind(): boolean {
    return this.over.size > 0;
  }

  /** The end is in the books. True where they were behind until now. */
  caughtUp(id: EffectId): boolean {
    return this.over.delete(id) && this.over.size === 0;
  }
}

/** Which levels of the budget were reached. A trip is told once; until it is delivered nothing starts on its heels. */
export class Bounds {
  private readonly tripping = new Set<string>();
  private readonly tell: (refusal: Refusal) => void;
  private readonly ranInto = new Map<string, BoundReachedError>();

  constructor(tell: (refusal: Refusal) => void) {
    this.tell = tell;
  }

  trip(refusal: Refusal): void {
    if (this.tripping.has(refusal.node)) return;
    this.tripping.add(refusal.node);
    this.tell(refusal);
  }

  /** A trip from the journal: it holds again. */
  delivered(node: string): void {
    this.tripping.add(node);
  }

  /** As `trip`, for a decision made in the code's own turn: it holds from here on, live and on replay alike. */
  tripAtOnce(refusal: Refusal): BoundReachedError {
    const error = boundReached(refusal);
    if (!this.ranInto.has(refusal.node)) this.ranInto.set(refusal.node, error);
    this.trip(refusal);
    return error;
  }

  /** A bound of the run itself that its own code ran into, in that very turn. */
  get atOnce(): BoundReachedError | undefined {
    return this.ranInto.get('');
  }

  /** The code at this place has run into a bound there or above, in its own turn: what it does now is its way out. */
  isOnTheWayOut(path: string): boolean {
    return [...this.ranInto.keys()].some((node) => isUnder(path, node));
  }

  /** The run itself is at a bound. */
  get ofRun(): boolean {
    return this.tripping.has('');
  }

  /** A bound was reached at or above the place of this effect or scope. */
  holds(idOrPath: string): boolean {
    return this.tripping.size > 0 && [...this.tripping].some((node) => isUnder(idOrPath, node));
  }

  /** A bound above this scope was reached and is about to close it, whatever its own budget says. */
  holdsAbove(scope: Scope): boolean {
    return [...this.tripping].some((node) => node !== scope.path && isUnder(scope.path, node));
  }
}
