import {
  type Amounts,
  AXES,
  type Axis,
  type Budget,
  type BudgetSlice,
  type CountedAxis,
  NOTHING,
  type Refusal,
  sum,
} from './budget.js';
import type { Usage } from './outcome.js';

/**
 * What was spent of a budget, as a tree: each child's part is carved from its parent's and every debit shows in all
 * ancestors at once. Reads no clock and stops nothing: the runtime asks, this answers.
 *
 * Invariants:
 * 1. What is taken (spent, possibly paid, reserved) never exceeds a limit through `reserve`: worst cases are taken
 *    before a call and settled after.
 * 2. A carved axis is reserved in the parent as a whole, so two children together cannot exceed their parent. Every
 *    reservation asks every ancestor all the same: their limits may have become smaller since.
 * 3. Comparisons are written so that a limit that is already passed, or is no number, refuses.
 */

const DEFAULT_SHARE = 0.5;

type Tally = Record<CountedAxis, number>;

/** Whose part of a budget it is: a child's, or that of a stretch of code. */
export type PartOf = 'child' | 'code';

interface Below {
  readonly parent: Ledger;
  readonly own: ReadonlySet<Axis>;
  readonly kind: PartOf;
  readonly of: number | undefined;
}

interface EqualParts {
  readonly of: number;
  /** Those given out so far, also those that have ended. */
  readonly given: Ledger[];
  /** What each is, under these limits of what is around them: where it takes others, they are divided anew. */
  size?: { readonly under: Budget; readonly each: Amounts };
}

/** One level of the tree. */
export class Ledger {
  readonly path: string;
  readonly depth: number;
  limits: Budget;
  readonly spent: Tally = { ...NOTHING };
  readonly reserved: Tally = { ...NOTHING };
  /** What calls that were cut off may have cost. Nobody knows: it stays taken, and is never called spent. */
  readonly possibly: Tally = { ...NOTHING };
  /**
   * What the code at this level is shown: its own effects and its finished children. The running total of a child at
   * work is left out, because a finished child is not run again on replay and could not be shown there.
   */
  private readonly shown = {
    spent: { ...NOTHING } as Tally,
    reserved: { ...NOTHING } as Tally,
    possibly: { ...NOTHING } as Tally,
  };
  /** What stands on the bills before the present one, as the code was shown it. */
  private before: Amounts = NOTHING;
  /** Active time of the run when this level began: what its own `wallMs` counts from. */
  activeFrom = 0;
  private isClosed = false;
  /** How much more its limits are than its parent holds for it. */
  private readonly owed: Tally = { ...NOTHING };
  /** Branches open now. */
  open = 0;
  readonly parent: Ledger | undefined;
  /** Axes that this level limits itself; on the others it follows its parent. */
  private readonly own: ReadonlySet<Axis>;
  private readonly warned = new Set<string>();
  /** The ledger of the child or run that it is part of. */
  readonly level: Ledger;
  /** Equal parts that are being given out, by where they are asked for. */
  private readonly parts = new Map<string, EqualParts>();
  /** The equal parts that it is one of. */
  private readonly group: EqualParts | undefined;

  constructor(path: string, limits: Budget, below?: Below) {
    this.path = path;
    this.limits = limits;
    this.parent = below?.parent;
    this.own = below?.own ?? new Set();
    // code with a part of the budget is no deeper than the code around it
    this.level = below === undefined || below.kind === 'child' ? this : below.parent.level;
    this.depth = below === undefined ? 0 : below.parent.depth + (below.kind === 'child' ? 1 : 0);
    this.group = below?.of === undefined ? undefined : below.parent.nextOf(this, below.of);
  }

  /** Takes the worst case of a call out of the budget, or says which bound refuses it. */
  reserve(want: Partial<Amounts>): Refusal | undefined {
    const refusal = this.refuses(want);
    if (refusal === undefined) this.force(want);
    return refusal;
  }

  /** Takes what the journal says was taken, without asking again. */
  force(reserved: Partial<Amounts>): void {
    for (const axis of AXES) this.hold(axis, reserved[axis] ?? 0);
  }

  /** Puts a reservation back without spending it. */
  release(reserved: Partial<Amounts>): void {
    for (const axis of AXES) this.hold(axis, -(reserved[axis] ?? 0));
  }

  /** Turns a reservation into what was really spent, and what may have been. */
  settle(reserved: Partial<Amounts>, actual: Partial<Amounts>, possibly: Partial<Amounts> = {}): void {
    this.release(reserved);
    this.debit(actual);
    this.mayHaveCost(possibly, { shown: true });
  }

  debit(actual: Partial<Amounts>): void {
    for (const axis of AXES) {
      const amount = actual[axis] ?? 0;
      if (amount === 0) continue;
      this.show('spent', axis, amount);
      this.charge('spent', axis, amount);
    }
  }

  /**
   * Keeps what a call that was cut off may have cost. What a crash cut off is not shown to the code: when that
   * happened is not part of what it lived through.
   */
  mayHaveCost(reserved: Partial<Amounts>, to: { readonly shown: boolean }): void {
    for (const axis of AXES) {
      const amount = reserved[axis] ?? 0;
      if (amount === 0) continue;
      if (to.shown) this.show('possibly', axis, amount);
      this.charge('possibly', axis, amount);
    }
  }

  /** What code with a part of the budget left in flight when it ended is shown to the code around it, which keeps the books. */
  private show(tally: 'spent' | 'possibly', axis: CountedAxis, amount: number): void {
    this.shown[tally][axis] += amount;
    if (this.isClosed && this.level !== this) this.parent?.show(tally, axis, amount);
  }

  /** What the code may know: the same live and on replay. */
  shownSpent(): Amounts {
    return { ...this.shown.spent };
  }

  shownRemaining(axis: CountedAxis): number {
    const used = this.shown.spent[axis] + this.shown.possibly[axis] + this.shown.reserved[axis];
    const own = this.limitsItself(axis) ? Math.max(0, this.limits[axis] - used) : Number.POSITIVE_INFINITY;
    if (this.parent === undefined || this.isCarved(axis)) return own;
    return Math.min(own, Math.max(0, this.parent.shownRemaining(axis) - used));
  }

  /** What holds here: this level's own limits, and its parent's for the rest. */
  effectiveLimits(): Budget {
    if (this.parent === undefined) return this.limits;
    const own = Object.fromEntries([...this.own].map((axis) => [axis, this.limits[axis]]));
    return { ...this.parent.effectiveLimits(), ...own };
  }

  /** As `effectiveLimits`, for one bound of time: asked for whenever a run begins or ceases to be at work. */
  timeLimit<A extends 'wallMs' | 'deadline'>(axis: A): Budget[A] {
    let node: Ledger = this;
    while (node.parent !== undefined && !node.own.has(axis)) node = node.parent;
    return node.limits[axis];
  }

  private limitsItself(axis: Axis): boolean {
    return this.parent === undefined || this.own.has(axis);
  }

  /** The whole limit is reserved in the parent. Time is not divided: children side by side spend the same minute. */
  private isCarved(axis: CountedAxis): boolean {
    return this.parent !== undefined && !this.isClosed && axis !== 'wallMs' && this.own.has(axis);
  }

  /** Active time is not spent by effects: it is read off the journal's entries. */
  showActive(ms: number): void {
    this.spent.wallMs = ms;
    this.shown.spent.wallMs = ms;
  }

  /** Opens `count` branches, or says that the width is exhausted. */
  openBranches(count: number): Refusal | undefined {
    for (let node: Ledger | undefined = this; node; node = node.parent) {
      const { width } = node.limits;
      if (node.limitsItself('width') && !(node.open + count <= width)) {
        const left = Math.max(0, width - node.open);
        return { node: node.path, bound: 'width', limit: width, spent: node.open, wanted: count, left };
      }
    }
    this.shiftOpen(count);
    return undefined;
  }

  closeBranches(count: number): void {
    this.shiftOpen(-count);
  }

  /** A child's ledger. Its own counted axes are reserved here as a whole until `close`. */
  carve(path: string, slice: BudgetSlice, kind: PartOf = 'child'): Ledger {
    const child = this.child(path, slice, kind);
    child.become(child.derived(slice));
    return child;
  }

  /** A child's ledger as it was carved: what it was given then is not decided again. */
  restore(path: string, slice: BudgetSlice, limits: Budget, kind: PartOf = 'child'): Ledger {
    const child = this.child(path, slice, kind);
    child.regain(slice, limits);
    return child;
  }

  private child(path: string, slice: BudgetSlice, kind: PartOf): Ledger {
    const own = ownAxes(slice);
    const limits: { -readonly [K in keyof Budget]: Budget[K] } = { ...this.effectiveLimits() };
    for (const axis of AXES) if (own.has(axis)) limits[axis] = 0;
    return new Ledger(path, limits, { parent: this, own, kind, of: slice.of });
  }

  /** The next of so many equal parts. */
  private nextOf(child: Ledger, of: number): EqualParts {
    const where = `${groupOf(child.path)} ${of}`;
    const group = this.parts.get(where) ?? { of, given: [] };
    group.given.push(child);
    if (group.given.length < of) this.parts.set(where, group);
    else this.parts.delete(where);
    return group;
  }

  /** What each of them is: the first says it for all, and where the journal says what that one got, that is `known`. */
  private eachOf(group: EqualParts, known: Partial<Amounts> = {}): Amounts {
    if (group.size?.under !== this.limits) {
      const each = AXES.map((axis) => [axis, known[axis] ?? this.dividedAmong(group, axis)]);
      group.size = { under: this.limits, each: Object.fromEntries(each) as Amounts }; // every axis is there
    }
    return group.size.each;
  }

  /** An equal part of what is left and of what they have: whoever has ended had a part too, and the rest of it came back. */
  private dividedAmong({ of, given }: EqualParts, axis: CountedAxis): number {
    return given.reduce((whole, part) => whole + part.heldAbove(axis), this.remaining(axis)) / of;
  }

  /** Takes the limits that the journal says it got. They say how much each of its equal parts is. */
  regain(slice: BudgetSlice, limits: Budget): void {
    const isPart = (axis: CountedAxis): boolean => this.isCarved(axis) && slice[axis] === undefined;
    const known = Object.fromEntries(AXES.filter(isPart).map((axis) => [axis, limits[axis]]));
    if (this.group !== undefined) this.parent?.eachOf(this.group, known);
    this.become(limits);
  }

  /** Takes other limits. What is carved of them is held in the parent, less what is spent already. */
  become(limits: Budget): void {
    this.lift(limits);
    this.holdOwed();
  }

  /** Has its parent hold what it is owed. The answer takes that back. */
  holdOwed(): () => void {
    const owed = { ...this.owed };
    Object.assign(this.owed, NOTHING);
    for (const axis of AXES) this.parent?.hold(axis, owed[axis]);
    return () => {
      Object.assign(this.owed, owed);
      for (const axis of AXES) this.parent?.hold(axis, -owed[axis]);
    };
  }

  /** As `become`, before its parent gets there: the parent's own books stay as they are until `become` follows. */
  lift(limits: Budget): void {
    for (const axis of AXES) if (this.isCarved(axis)) this.owed[axis] += limits[axis] - this.limits[axis];
    this.limits = limits;
    this.warned.clear();
  }

  /** Gives back what nobody has taken yet, before it is derived anew. */
  yieldRest(): void {
    const taken = Object.fromEntries(this.carvedAxes().map((axis) => [axis, this.takenOf(axis)]));
    this.become({ ...this.limits, ...taken });
  }

  /** What the slice comes to in the parent's budget as it is now: what was taken of it already is part of it. */
  derived(slice: BudgetSlice, at: { readonly activeMs?: number } = {}): Budget {
    const { parent, group } = this;
    if (parent === undefined) return this.limits;
    const each = group === undefined ? undefined : parent.eachOf(group);
    const limits: { -readonly [K in keyof Budget]: Budget[K] } = { ...parent.effectiveLimits() };
    for (const axis of AXES) {
      if (!this.own.has(axis)) continue;
      const taken = axis === 'wallMs' ? Math.max(0, (at.activeMs ?? 0) - this.activeFrom) : this.takenOf(axis);
      const left = parent.remaining(axis) + (axis === 'wallMs' ? taken : this.heldAbove(axis));
      // of time nobody has less because others go on
      const part = axis === 'wallMs' ? undefined : each?.[axis];
      const given = Math.min(slice[axis] ?? part ?? left * (slice.share ?? DEFAULT_SHARE), left);
      limits[axis] = Math.max(taken, axis === 'costUsd' ? given : Math.floor(given));
    }
    for (const axis of ['width', 'noProgress'] as const)
      if (slice[axis] !== undefined) limits[axis] = Math.min(slice[axis], limits[axis]);
    // levels below the child, counted from the run
    if (slice.depth !== undefined) limits.depth = Math.min(this.depth + slice.depth, limits.depth);
    if (slice.deadline !== undefined) limits.deadline = Math.min(slice.deadline, limits.deadline ?? slice.deadline);
    return limits;
  }

  /** What stands on earlier bills: limits of autonomy count it. */
  spentBefore(): Amounts {
    return this.before;
  }

  /** Takes over what a snapshot says of earlier bills. */
  hasSpentBefore(amounts: Amounts): void {
    this.before = sum(this.before, amounts);
  }

  /** Begins a new bill. What is reserved stays so. */
  beginAnew(): void {
    this.hasSpentBefore(this.shown.spent);
    for (const axis of AXES) {
      if (this.isCarved(axis)) this.parent?.add(axis, this.spent[axis] + this.possibly[axis]);
      this.spent[axis] = 0;
      this.possibly[axis] = 0;
      this.shown.spent[axis] = 0;
      this.shown.possibly[axis] = 0;
    }
    // equal parts that have ended are still counted where theirs are divided anew
    for (const { given } of [...this.parts.values(), ...(this.group === undefined ? [] : [this.group])])
      for (const part of given) if (part.isClosed && !part.isUnspent()) part.beginAnew();
  }

  carvedAxes(): readonly CountedAxis[] {
    return AXES.filter((axis) => this.isCarved(axis));
  }

  isUnspent(): boolean {
    return AXES.every((axis) => this.spent[axis] === 0 && this.possibly[axis] === 0);
  }

  /** Ends a child: what it neither spent nor has in flight goes back to the parent, which keeps the books from here on. */
  close(): void {
    const { parent } = this;
    if (parent === undefined || this.isClosed) return;
    this.become(this.limits);
    for (const axis of AXES) {
      if (this.isCarved(axis)) {
        const rest = this.limits[axis] - this.takenOf(axis);
        if (rest > 0) parent.add(axis, -rest);
        parent.shown.reserved[axis] -= this.limits[axis];
      }
      if (axis === 'wallMs') continue;
      parent.shown.spent[axis] += this.spent[axis];
      parent.shown.possibly[axis] += this.possibly[axis];
    }
    this.isClosed = true;
  }

  remaining(axis: CountedAxis): number {
    let left = Number.POSITIVE_INFINITY;
    let slack = 0;
    for (let node: Ledger | undefined = this; node; node = node.parent) {
      if (!node.limitsItself(axis)) continue;
      left = Math.min(left, node.limits[axis] - node.takenOf(axis) + slack);
      slack += node.uncommitted(axis);
    }
    return Math.max(0, left);
  }

  /** The first axis of which more was spent than its limit: somebody reported more than was reserved. */
  overspent(): Refusal | undefined {
    for (let node: Ledger | undefined = this; node; node = node.parent) {
      for (const axis of AXES) {
        const limit = node.limits[axis];
        if (axis === 'wallMs' || !node.limitsItself(axis) || node.spent[axis] <= roomy(axis, limit)) continue;
        return { node: node.path, bound: axis, limit, spent: node.spent[axis], wanted: 0, left: 0 };
      }
    }
    return undefined;
  }

  /** Bounds at or past `fraction` of their limit that were not reported before, here and in all ancestors. */
  warnings(
    fraction: number,
  ): { readonly node: string; readonly axis: CountedAxis; readonly spent: number; readonly limit: number }[] {
    const found = [];
    for (let node: Ledger | undefined = this; node; node = node.parent) {
      for (const axis of AXES) {
        if (!node.limitsItself(axis)) continue;
        const spent = node.spent[axis];
        const limit = node.limits[axis];
        if (spent === 0 || spent < limit * fraction || node.warned.has(axis)) continue;
        node.warned.add(axis);
        found.push({ node: node.path, axis, spent, limit });
      }
    }
    return found;
  }

  /** The wait is over for time: `>=`, because a resumed run can wake up already past it. */
  outOfTime(activeMs: number, now: number): Refusal | undefined {
    for (let node: Ledger | undefined = this; node; node = node.parent) {
      const { wallMs, deadline } = node.limits;
      const active = activeMs - node.activeFrom;
      if (node.limitsItself('wallMs') && !(active < wallMs))
        return { node: node.path, bound: 'wallMs', limit: wallMs, spent: active, wanted: 0, left: 0 };
      if (node.limitsItself('deadline') && deadline !== undefined && now >= deadline) {
        return { node: node.path, bound: 'deadline', limit: deadline, spent: now, wanted: 0, left: 0 };
      }
    }
    return undefined;
  }

  /** What would be left if all that is in flight came back without having spent anything. */
  mostLeft(axis: CountedAxis): number {
    let left = Number.POSITIVE_INFINITY;
    for (let node: Ledger | undefined = this; node; node = node.parent)
      if (node.limitsItself(axis)) left = Math.min(left, node.limits[axis] - node.spent[axis] - node.possibly[axis]);
    return Math.max(0, left);
  }

  /** Which bound refuses it, without taking anything. */
  refuses(want: Partial<Amounts>): Refusal | undefined {
    for (const axis of AXES) {
      const wanted = want[axis] ?? 0;
      let slack = 0; // what levels below have reserved here and not taken: this is taken out of it
      for (let node: Ledger | undefined = this; node; node = node.parent) {
        if (!node.limitsItself(axis)) continue;
        const limit = node.limits[axis];
        const taken = node.takenOf(axis) - slack;
        if (!(taken + wanted <= roomy(axis, limit)) && (!(wanted <= 0) || !(node.spent[axis] <= limit))) {
          const left = Math.max(0, limit - taken);
          return { node: node.path, bound: axis, limit, spent: node.spent[axis], wanted, left };
        }
        slack += node.uncommitted(axis);
      }
    }
    return undefined;
  }

  private takenOf(axis: CountedAxis): number {
    return this.spent[axis] + this.possibly[axis] + this.reserved[axis];
  }

  /** What its parent does not have because of it. */
  private heldAbove(axis: CountedAxis): number {
    const taken = this.takenOf(axis);
    return this.isCarved(axis) ? Math.max(taken, this.limits[axis] - this.owed[axis]) : taken;
  }

  /** What the parent holds for this level and nobody has taken yet. */
  private uncommitted(axis: CountedAxis): number {
    return this.isCarved(axis) ? Math.max(0, this.limits[axis] - this.takenOf(axis)) : 0;
  }

  /** Reserves at this level, for an effect or a child of its own. */
  private hold(axis: CountedAxis, amount: number): void {
    if (amount === 0) return;
    this.shown.reserved[axis] += amount;
    this.add(axis, amount);
  }

  private add(axis: CountedAxis, amount: number): void {
    if (amount === 0) return;
    this.reserved[axis] += amount;
    if (this.parent !== undefined && !this.isCarved(axis)) this.parent.add(axis, amount);
  }

  private charge(tally: 'spent' | 'possibly', axis: CountedAxis, amount: number): void {
    const before = this.unused(axis);
    this[tally][axis] = withoutDust(this[tally][axis] + amount);
    if (this.parent === undefined) return;
    // what a child spends of a carved axis was reserved in the parent: it moves there from reserved to spent, and back
    const moved = amount < 0 ? -Math.min(-amount, this.unused(axis)) : Math.min(amount, before);
    if (this.isCarved(axis)) this.parent.add(axis, -moved);
    this.parent.charge(tally, axis, amount);
  }

  private unused(axis: CountedAxis): number {
    return Math.max(0, this.limits[axis] - this.spent[axis] - this.possibly[axis]);
  }

  private shiftOpen(count: number): void {
    for (let node: Ledger | undefined = this; node; node = node.parent) node.open += count;
  }
}

/** What was spent, and apart from it what may have been paid beside. */
export function usageOf({ spent, possibly }: Pick<Ledger, 'spent' | 'possibly'>): Usage {
  const unsure = AXES.filter((axis) => possibly[axis] > 0).map((axis) => [axis, possibly[axis]]);
  return { ...spent, ...(unsure.length === 0 ? {} : { possibly: Object.fromEntries(unsure) }) };
}

/** Sums of prices are not exact. */
function roomy(axis: CountedAxis, limit: number): number {
  return axis === 'costUsd' ? limit + 1e-9 : limit;
}

/** The code counts iterations itself, without an entry: a replay could not tell who took which of them. */
function ownAxes({ share: _share, of: _of, shared, ...named }: BudgetSlice): ReadonlySet<Axis> {
  const without: readonly Axis[] = shared === true ? AXES : (shared ?? []);
  const own = new Set<Axis>(AXES.filter((axis) => axis === 'iterations' || !without.includes(axis)));
  for (const [axis, limit] of Object.entries(named)) if (limit !== undefined) own.add(axis as Axis);
  return own;
}

/** Where equal parts are asked for: the scope around them, and of branches of one group all. */
function groupOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')).replace(/(\/(?:all|each|some|first)\.\d+)\.\d+/g, '$1');
}

/** What was counted can be taken back, and prices do not add up to exactly nothing. */
export function withoutDust(amount: number): number {
  return Math.abs(amount) < 1e-12 ? 0 : amount;
}
