import { BoundReachedError, ConfigError } from './errors.js';

/**
 * What a run may spend and has spent, as a tree: each child's budget is carved from its parent's and every debit
 * shows in all ancestors at once. Reads no clock and stops nothing: the runtime asks, this answers.
 *
 * Invariants:
 * 1. spent + reserved never exceeds a limit through `reserve`: worst cases are taken before a call and settled after.
 * 2. A carved axis is reserved in the parent as a whole, so two children together cannot exceed their parent.
 * 3. Comparisons hold for a budget that is already past its limit: a resumed run can wake up there.
 */

/** Axes that add up over a run. */
export const AXES = [
  'iterations',
  'modelCalls',
  'toolCalls',
  'tokensIn',
  'tokensOut',
  'costUsd',
  'wallMs',
  'filesChanged',
  'linesChanged',
] as const;
export type CountedAxis = (typeof AXES)[number];
export type Axis = CountedAxis | 'depth' | 'width' | 'deadline' | 'noProgress';
export type Amounts = Readonly<Record<CountedAxis, number>>;

export interface Budget extends Amounts {
  /** Nested spawns below the run; in a slice, below the child. */
  readonly depth: number;
  /** Branches open at the same time, nested ones included. */
  readonly width: number;
  /** Calls in a row that repeat an earlier call and get its earlier result. */
  readonly noProgress: number;
  /** Absolute time after which nothing starts; counts waiting too, unlike `wallMs`. */
  readonly deadline?: number;
}

/**
 * A child's part: absolute amounts, or a share of what the parent has left. Axes not named are shared with the parent,
 * except for iterations: the code counts those itself, without an entry, so a replay could not tell who took which.
 * Of them a child gets half of what is left.
 */
export type BudgetSlice = Partial<Budget> & { readonly share?: number };

/** Modest defaults: enough for a tool loop, small enough that a runaway is noticed. */
const STANDARD: Budget = {
  iterations: 20,
  modelCalls: 50,
  toolCalls: 100,
  tokensIn: 1_000_000,
  tokensOut: 100_000,
  costUsd: 5,
  wallMs: 600_000,
  filesChanged: 100,
  linesChanged: 10_000,
  depth: 4,
  width: 16,
  noProgress: 5,
};

/** A complete budget: the axes given, the others at modest defaults. Every axis is finite, always. */
export function budget(limits: Partial<Budget> = {}): Budget {
  for (const [axis, limit] of Object.entries(limits)) checkLimit(axis, limit);
  return { ...STANDARD, ...limits };
}

function checkLimit(axis: string, limit: unknown): void {
  if (!(axis in STANDARD) && axis !== 'deadline') throw new ConfigError(`Unknown budget axis "${axis}".`);
  if (!isAmount(limit)) {
    throw new ConfigError(`Budget axis ${axis} must be a finite number of at least 0, got ${String(limit)}.`);
  }
}

/** A slice that makes sense: NaN or a negative number would lift a bound instead of setting one. */
export function checkSlice({ share, ...limits }: BudgetSlice): void {
  for (const [axis, limit] of Object.entries(limits)) if (limit !== undefined) checkLimit(axis, limit);
  if (share !== undefined && !(isAmount(share) && share <= 1)) {
    throw new ConfigError(`A share of a budget lies between 0 and 1, got ${String(share)}.`);
  }
}

export function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export const NOTHING: Amounts = {
  iterations: 0,
  modelCalls: 0,
  toolCalls: 0,
  tokensIn: 0,
  tokensOut: 0,
  costUsd: 0,
  wallMs: 0,
  filesChanged: 0,
  linesChanged: 0,
};

/** What the agent sees of its budget. `take` is for what the code itself counts: iterations. */
export interface BudgetView {
  readonly limits: Budget;
  spent(): Amounts;
  remaining(axis: CountedAxis): number;
  take(axis: 'iterations', amount?: number): void;
}

export interface Refusal {
  readonly node: string;
  readonly bound: Axis;
  readonly limit: number;
  readonly spent: number;
  readonly wanted: number;
}

export function boundReached(refusal: Refusal): BoundReachedError {
  return new BoundReachedError(refusal);
}

const DEFAULT_SHARE = 0.5;

type Tally = Record<CountedAxis, number>;

/** One level of the tree. */
export class Ledger {
  readonly path: string;
  readonly depth: number;
  limits: Budget;
  readonly spent: Tally = { ...NOTHING };
  readonly reserved: Tally = { ...NOTHING };
  /**
   * What the code at this level is shown: its own effects and its finished children. The running total of a child at
   * work is left out, because a finished child is not run again on replay and could not be shown there.
   */
  private readonly shown = { spent: { ...NOTHING } as Tally, reserved: { ...NOTHING } as Tally };
  /** Active time of the run when this level began: what its own `wallMs` counts from. */
  activeFrom = 0;
  private isClosed = false;
  /** Branches open now. */
  open = 0;
  readonly parent: Ledger | undefined;
  /** Axes that this level limits itself; on the others it follows its parent. */
  private readonly own: ReadonlySet<Axis>;
  private readonly warned = new Set<string>();

  constructor(path: string, limits: Budget, parent?: Ledger, own: ReadonlySet<Axis> = new Set()) {
    this.path = path;
    this.limits = limits;
    this.parent = parent;
    this.depth = parent === undefined ? 0 : parent.depth + 1;
    this.own = own;
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

  /** Turns a reservation into what was really spent. */
  settle(reserved: Partial<Amounts>, actual: Partial<Amounts>): void {
    this.release(reserved);
    this.debit(actual);
  }

  debit(actual: Partial<Amounts>): void {
    for (const axis of AXES) {
      const amount = actual[axis] ?? 0;
      if (amount === 0) continue;
      this.shown.spent[axis] += amount;
      this.spend(axis, amount);
    }
  }

  /** Spends what a crash cut off. The code is not shown it: when that happened is not part of what it lived through. */
  lose(reserved: Partial<Amounts>): void {
    for (const axis of AXES) {
      const amount = reserved[axis] ?? 0;
      if (amount !== 0) this.spend(axis, amount);
    }
  }

  /** What the code may know: the same live and on replay. */
  shownSpent(): Amounts {
    return { ...this.shown.spent };
  }

  shownRemaining(axis: CountedAxis): number {
    const used = this.shown.spent[axis] + this.shown.reserved[axis];
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
      if (node.limitsItself('width') && node.open + count > node.limits.width) {
        return { node: node.path, bound: 'width', limit: node.limits.width, spent: node.open, wanted: count };
      }
    }
    this.shiftOpen(count);
    return undefined;
  }

  closeBranches(count: number): void {
    this.shiftOpen(-count);
  }

  /** A child's ledger. Counted axes named in the slice are reserved here as a whole until `close`. */
  carve(path: string, slice: BudgetSlice): Ledger {
    const limits: { -readonly [K in keyof Budget]: Budget[K] } = { ...this.effectiveLimits() };
    const own = new Set<Axis>();
    for (const axis of AXES) {
      const left = this.remaining(axis);
      const share = slice.share ?? (axis === 'iterations' ? DEFAULT_SHARE : undefined);
      const asked = slice[axis] ?? (share === undefined ? undefined : left * share);
      if (asked === undefined) continue;
      const given = Math.min(asked, left);
      limits[axis] = axis === 'costUsd' ? given : Math.floor(given);
      own.add(axis);
      if (axis !== 'wallMs') this.hold(axis, limits[axis]);
    }
    for (const axis of ['width', 'noProgress'] as const) {
      if (slice[axis] === undefined) continue;
      limits[axis] = Math.min(slice[axis], limits[axis]);
      own.add(axis);
    }
    if (slice.depth !== undefined) {
      limits.depth = Math.min(this.depth + 1 + slice.depth, limits.depth); // levels below the child, counted from the run
      own.add('depth');
    }
    if (slice.deadline !== undefined) {
      limits.deadline = Math.min(slice.deadline, limits.deadline ?? slice.deadline);
      own.add('deadline');
    }
    return new Ledger(path, limits, this, own);
  }

  /** Begins a new bill under new limits. What is reserved stays so. */
  beginAnew(): void {
    for (const axis of AXES) {
      this.spent[axis] = 0;
      this.shown.spent[axis] = 0;
    }
  }

  carvedAxes(): readonly CountedAxis[] {
    return AXES.filter((axis) => this.isCarved(axis));
  }

  isUnspent(): boolean {
    return AXES.every((axis) => this.spent[axis] === 0);
  }

  /** Ends a child: what it neither spent nor has in flight goes back to the parent, which keeps the books from here on. */
  close(): void {
    const { parent } = this;
    if (parent === undefined || this.isClosed) return;
    for (const axis of AXES) {
      if (this.isCarved(axis)) {
        const rest = this.limits[axis] - this.spent[axis] - this.reserved[axis];
        if (rest > 0) parent.add('reserved', axis, -rest);
        parent.shown.reserved[axis] -= this.limits[axis];
      }
      if (axis !== 'wallMs') parent.shown.spent[axis] += this.spent[axis];
    }
    this.isClosed = true;
  }

  remaining(axis: CountedAxis): number {
    const left = Math.max(0, this.limits[axis] - this.spent[axis] - this.reserved[axis]);
    const own = this.limitsItself(axis) ? left : Number.POSITIVE_INFINITY;
    return this.parent === undefined || this.isCarved(axis) ? own : Math.min(own, this.parent.remaining(axis));
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
      if (node.limitsItself('wallMs') && active >= wallMs)
        return { node: node.path, bound: 'wallMs', limit: wallMs, spent: active, wanted: 0 };
      if (node.limitsItself('deadline') && deadline !== undefined && now >= deadline) {
        return { node: node.path, bound: 'deadline', limit: deadline, spent: now, wanted: 0 };
      }
    }
    return undefined;
  }

  private refuses(want: Partial<Amounts>): Refusal | undefined {
    for (const axis of AXES) {
      const wanted = want[axis] ?? 0;
      for (let node: Ledger | undefined = this; node; node = node.parent) {
        if (!node.limitsItself(axis)) continue;
        const limit = node.limits[axis];
        const taken = node.spent[axis] + node.reserved[axis];
        const over = axis === 'costUsd' ? taken + wanted > limit + 1e-9 : taken + wanted > limit;
        if (over && (wanted > 0 || node.spent[axis] > limit)) {
          return { node: node.path, bound: axis, limit, spent: node.spent[axis], wanted };
        }
        if (node.isCarved(axis)) break; // the parent reserved all of this axis when it was carved
      }
    }
    return undefined;
  }

  /** Reserves at this level, for an effect or a child of its own. */
  private hold(axis: CountedAxis, amount: number): void {
    if (amount === 0) return;
    this.shown.reserved[axis] += amount;
    this.add('reserved', axis, amount);
  }

  private add(tally: 'reserved', axis: CountedAxis, amount: number): void {
    if (amount === 0) return;
    this[tally][axis] += amount;
    if (this.parent !== undefined && !this.isCarved(axis)) this.parent.add(tally, axis, amount);
  }

  private spend(axis: CountedAxis, amount: number): void {
    const left = Math.max(0, this.limits[axis] - this.spent[axis]);
    this.spent[axis] += amount;
    if (this.parent === undefined) return;
    // what a child spends of a carved axis was reserved in the parent: it moves there from reserved to spent
    if (this.isCarved(axis)) this.parent.add('reserved', axis, -Math.min(amount, left));
    this.parent.spend(axis, amount);
  }

  private shiftOpen(count: number): void {
    for (let node: Ledger | undefined = this; node; node = node.parent) node.open += count;
  }
}

/** Which of a call's repeats brought nothing new: same call, same result as one seen before in this scope. */
export class ProgressMeter {
  private readonly seen = new Set<string>();
  private stale = 0;

  /** Counts one finished call; answers how many in a row were repeats. */
  record(call: string, result: string): number {
    const pair = `${call} ${result}`;
    this.stale = this.seen.has(pair) ? this.stale + 1 : 0;
    this.seen.add(pair);
    return this.stale;
  }
}
