import { type Amounts, AXES, type Refusal } from '../core/budget.js';
import { contentId } from '../core/codec.js';
import type { EffectId, EndEvent, EventOf, RunEvent } from '../core/events.js';
import { Ledger } from '../core/ledger.js';
import { Bounds } from './bounds.js';
import { Eras } from './eras.js';
import type { Journal } from './journal.js';
import type { Pending } from './pending.js';
import type { Recorded } from './recorded.js';
import type { Scope } from './scope.js';

/** What the books need of the life they are kept for. */
export interface BooksOwner {
  readonly recorded: Recorded;
  readonly journal: Journal;
  readonly guards: { ended(id: EffectId): void };
  readonly life: { readonly time: { reached(ledger: Ledger): Refusal | undefined } };
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
    this.eras = new Eras(recorded, this.ledger, (event) => run.journal.tell(event));
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
    this.run.journal.tellings.warn(ledger, this.eras.current);
    this.run.guards.ended(pending.id);
    if (pending.kind === 'call' && (event.type === 'complete' || event.type === 'abort'))
      this.meter(pending, event, pending.scope);
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
    const over = AXES.filter((axis) => (spent[axis] ?? 0) > (pending?.reserved?.[axis] ?? 0) + 1e-9);
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
