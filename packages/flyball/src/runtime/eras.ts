import type { Amounts, Budget, BudgetSlice, Refusal } from '../core/budget.js';
import type { EffectId, EventOf } from '../core/events.js';
import type { Ledger, PartOf } from '../core/ledger.js';
import { isUnder } from './loaded-entry.js';
import type { Pending } from './open-effects.js';
import type { Recorded } from './recorded.js';

interface Child {
  readonly ledger: Ledger;
  readonly slice: BudgetSlice;
  /** The era whose budget its limits are a part of. */
  era: number;
  /** How many others had asked for something before it. */
  readonly order: number;
}

/** A call without room for it under the budget of its time. */
interface Unmet {
  readonly pending: Pending;
  readonly want: Partial<Amounts>;
  readonly order: number;
}

/**
 * The budgets a run lives under, one after the other: each part of its past is judged by the one of its time. When a
 * new one begins, the parts of open children are derived from it anew, once; a later life reads them off the journal.
 */
export class Eras {
  private readonly recorded: Recorded;
  private readonly root: Ledger;
  private readonly tell: (event: EventOf<'slice-change'>) => void;
  /** The last budget holds for these from here on. */
  private readonly begun: (ledgers: readonly Ledger[]) => void;
  private readonly children = new Map<EffectId, Child>();
  private unmet: Unmet[] = [];
  private asked = 0;
  private at = 0;

  constructor(
    recorded: Recorded,
    root: Ledger,
    tell: (event: EventOf<'slice-change'>) => void,
    begun: (ledgers: readonly Ledger[]) => void,
  ) {
    this.recorded = recorded;
    this.root = root;
    this.tell = tell;
    this.begun = begun;
  }

  /** Which one holds now. */
  get current(): number {
    return this.at;
  }

  /** The fork's own bill has not begun: what was spent so far is on its parent's, also where the fork tells of it. */
  get isBilledElsewhere(): boolean {
    return this.recorded.budgets.slice(this.at + 1).some(({ fresh }) => fresh);
  }

  /** Before the code starts, or when nothing of its history is left. */
  enterAll(until: 'start' | 'end'): void {
    while (this.next !== undefined && (until === 'end' || this.next.delivery === -1)) this.enter();
    if (until === 'end') this.deriveAnew();
  }

  beforeDelivery(index: number): void {
    while (
      this.next !== undefined &&
      (this.next.delivery < index || (this.next.delivery === index && !this.next.inTurn))
    )
      this.enter();
  }

  /** The delivery is in the books; the code that it moves comes next. */
  beforeTurn(index: number): void {
    while (this.next !== undefined && this.next.delivery === index) this.enter();
  }

  /**
   * Makes a decision about the budget in the code's own turn. Where the past was refused and what was refused later let
   * go on under another budget, this is the place where that budget begins to hold.
   */
  decide(isLive: boolean, attempt: () => Refusal | undefined): Refusal | undefined {
    let refusal = attempt();
    while (refusal !== undefined && !isLive && this.goesOnAt(refusal.node)) refusal = attempt();
    return refusal;
  }

  /** True where another budget holds for this level from here on. */
  private goesOnAt(node: string): boolean {
    if (node !== '') return this.childGoesOn(node);
    if (this.next === undefined) return false;
    this.enter();
    return true;
  }

  /**
   * A child goes on under a later budget while what is around it still lives its past: it has its own part already, and
   * its parents' books take notice of that when they get there.
   */
  private childGoesOn(node: string): boolean {
    const [id, child] = [...this.children].find(([, { ledger }]) => ledger.path === node) ?? [];
    const from = child === undefined ? undefined : this.recorded.budgets[child.era + 1]?.from;
    if (id === undefined || child === undefined || from === undefined) return false;
    if (!(from <= (this.recorded.lifts.get(node) ?? -1))) return false;
    const given = this.given(id).find(({ place }) => place >= from);
    if (given === undefined) this.deriveAhead(id, child);
    else {
      child.era = this.eraAt(given.place);
      child.ledger.lift(given.limits);
    }
    return true;
  }

  /** As `deriveAnew`, for one child. What its parents will have is worked out, and is not theirs yet. */
  private deriveAhead(id: EffectId, child: Child): void {
    const { ledger } = child;
    const last = this.recorded.budgets.length - 1;
    const above = [...this.children.values()].filter((one) => one !== child && isUnder(ledger.path, one.ledger.path));
    const before = [this.root, ...above.map((one) => one.ledger)].map((one) => [one, one.limits] as const);
    this.root.limits = this.recorded.budget;
    // what others were given ahead is not there for this one
    const unheld = this.ledgers().map((one) => (one === ledger ? () => undefined : one.holdOwed()));
    for (const one of above) if (one.era < last) one.ledger.limits = this.partOf(one);
    const limits = this.partOf(child);
    for (const takeBack of unheld) takeBack();
    for (const [one, was] of before) one.limits = was;
    child.era = last;
    ledger.lift(limits);
    // not what is around it: that follows the budget of its past until it gets there
    this.tell({ type: 'slice-change', id, path: ledger.path, limits });
  }

  /** A child's ledger: as the journal says, where it says, and whatever the code would ask for today. */
  open(
    id: EffectId,
    path: string,
    parent: Ledger,
    asked: BudgetSlice,
    kind: PartOf = 'child',
  ): { readonly ledger: Ledger; readonly slice: BudgetSlice } {
    const start = this.recorded.starts.get(id)?.at(-1)?.event;
    const slice = start?.type === 'spawn-start' ? start.slice : asked;
    const given = this.given(id).findLast(({ place }) => place < this.end);
    if (given === undefined) return this.keep(id, parent.carve(path, slice, kind), slice, this.at);
    return this.keep(id, parent.restore(path, slice, given.limits, kind), slice, this.eraAt(given.place));
  }

  /** Under a later budget it gets its room in its turn: before the parts of children that were asked for after it. */
  wants(pending: Pending, want: Partial<Amounts>): void {
    if (this.next !== undefined) this.unmet.push({ pending, want, order: this.asked++ });
  }

  /** What the journal says that a child was given, one after the other. */
  private given(id: EffectId): readonly { readonly place: number; readonly limits: Budget }[] {
    const start = this.recorded.starts.get(id)?.at(-1);
    const changes = this.recorded.slices.get(id) ?? [];
    if (start?.event.type !== 'spawn-start') return changes;
    const begun = { place: start.place, limits: start.event.limits };
    return [...changes, begun].sort((one, other) => one.place - other.place);
  }

  private eraAt(place: number): number {
    return this.recorded.budgets.findLastIndex(({ from }) => from <= place);
  }

  /** The child began under a budget that holds by now. */
  hasBegun(id: EffectId): boolean {
    return (this.recorded.starts.get(id)?.at(-1)?.place ?? 0) < this.end;
  }

  close(id: EffectId): void {
    this.children.delete(id);
  }

  private keep(id: EffectId, ledger: Ledger, slice: BudgetSlice, era: number): Child {
    const child = { ledger, slice, era, order: this.asked++ };
    this.children.set(id, child);
    return child;
  }

  private get next(): Recorded['budgets'][number] | undefined {
    return this.recorded.budgets[this.at + 1];
  }

  /** Place of the first entry that is not of this era. */
  private get end(): number {
    return this.next?.from ?? Number.POSITIVE_INFINITY;
  }

  private enter(): void {
    const { next } = this;
    if (next === undefined) return;
    this.at++;
    if (next.fresh) for (const ledger of [this.root, ...this.ledgers()]) ledger.beginAnew();
    this.root.become(next.budget);
    for (const [id, child] of this.children) this.restore(id, child, next.from);
    if (this.next !== undefined) return;
    this.deriveAnew();
    this.begun([this.root, ...this.ledgers()]);
  }

  private restore(id: EffectId, child: Child, from: number): void {
    const given = this.given(id).findLast(({ place }) => place >= from && place < this.end);
    if (given === undefined) return;
    child.era = this.at;
    child.ledger.regain(child.slice, given.limits);
  }

  /** Parents before their children: what is left for a child depends on what its parent got. */
  private deriveAnew(): void {
    for (const { ledger } of this.children.values()) ledger.become(ledger.limits);
    const open = [...this.children].filter(([, child]) => child.era < this.at);
    for (const [, { ledger }] of open.toReversed()) ledger.yieldRest();
    for (const [id, child] of open) {
      const { ledger } = child;
      this.meet(child.order);
      ledger.become(this.partOf(child));
      child.era = this.at;
      // also of one that has not begun, and may never begin: what it holds is not there for others
      this.tell({ type: 'slice-change', id, path: ledger.path, limits: ledger.effectiveLimits() });
    }
  }

  /** Calls that were asked for before that. */
  private meet(order: number): void {
    const before = this.unmet.filter((one) => one.order < order);
    this.unmet = this.unmet.filter((one) => one.order >= order);
    for (const { pending, want } of before)
      if (pending.reserved === undefined && pending.closedBy === undefined && pending.ended === undefined)
        if (pending.scope.ledger.reserve(want) === undefined) pending.reserved = want;
  }

  private partOf(child: Child): Budget {
    return child.ledger.derived(child.slice, { activeMs: this.root.spent.wallMs });
  }

  private ledgers(): Ledger[] {
    return [...this.children.values()].map(({ ledger }) => ledger);
  }
}
