import type { BudgetSlice, Refusal } from '../core/budget.js';
import type { EffectId, EventOf } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { Recorded } from './recorded.js';

interface Child {
  readonly ledger: Ledger;
  readonly slice: BudgetSlice;
  /** The era whose budget its limits are a part of. */
  era: number;
}

/**
 * The budgets a run lives under, one after the other: each part of its past is judged by the one of its time. When a
 * new one begins, the parts of open children are derived from it anew, once; a later life reads them off the journal.
 */
export class Eras {
  private readonly recorded: Recorded;
  private readonly root: Ledger;
  private readonly tell: (event: EventOf<'slice-change'>) => void;
  private readonly children = new Map<EffectId, Child>();
  private at = 0;

  constructor(recorded: Recorded, root: Ledger, tell: (event: EventOf<'slice-change'>) => void) {
    this.recorded = recorded;
    this.root = root;
    this.tell = tell;
  }

  /** Which one holds now. */
  get current(): number {
    return this.at;
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
   * Makes a decision about the budget in the code's own turn. Where the past was refused and the run later let go on
   * under another budget, this is the place where that budget begins to hold.
   */
  decide(isLive: boolean, attempt: () => Refusal | undefined): Refusal | undefined {
    let refusal = attempt();
    while (refusal?.node === '' && !isLive && this.next !== undefined) {
      this.enter();
      refusal = attempt();
    }
    return refusal;
  }

  /** A child's ledger: as the journal says, where it says, and whatever the code would ask for today. */
  open(
    id: EffectId,
    path: string,
    parent: Ledger,
    asked: BudgetSlice,
  ): { readonly ledger: Ledger; readonly slice: BudgetSlice } {
    const start = this.recorded.starts.get(id)?.at(-1);
    if (start?.event.type !== 'spawn-start') return this.keep(id, parent.carve(path, asked), asked, this.at);
    const { slice } = start.event;
    const given = (this.recorded.slices.get(id) ?? []).filter(({ place }) => place < this.end);
    const place = given.at(-1)?.place ?? start.place;
    const era = this.recorded.budgets.findLastIndex(({ from }) => from <= place);
    return this.keep(id, parent.restore(path, slice, given.at(-1)?.limits ?? start.event.limits), slice, era);
  }

  close(id: EffectId): void {
    this.children.delete(id);
  }

  private keep(id: EffectId, ledger: Ledger, slice: BudgetSlice, era: number): Child {
    const child = { ledger, slice, era };
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
    if (this.next === undefined) this.deriveAnew();
  }

  private restore(id: EffectId, child: Child, from: number): void {
    const given = this.recorded.slices.get(id)?.findLast(({ place }) => place >= from && place < this.end);
    if (given === undefined) return;
    child.era = this.at;
    child.ledger.become(given.limits);
  }

  /** Parents before their children: what is left for a child depends on what its parent got. */
  private deriveAnew(): void {
    const open = [...this.children].filter(([, child]) => child.era < this.at);
    for (const [, { ledger }] of open.toReversed()) ledger.yieldRest();
    for (const [id, child] of open) {
      const { ledger } = child;
      ledger.become(ledger.derived(this.sliceOf(child), { activeMs: this.root.spent.wallMs }));
      child.era = this.at;
      this.tell({ type: 'slice-change', id, path: ledger.path, limits: ledger.effectiveLimits() });
    }
  }

  /** A fork is made to go on: a deadline that had passed when it began says nothing about it. */
  private sliceOf({ slice, era }: Child): BudgetSlice {
    const fork = this.recorded.budgets.findLast(({ fresh }, index) => fresh && index > era);
    if (fork === undefined || slice.deadline === undefined || slice.deadline > fork.at) return slice;
    const { deadline: _past, ...others } = slice;
    return others;
  }

  private ledgers(): Ledger[] {
    return [...this.children.values()].map(({ ledger }) => ledger);
  }
}
