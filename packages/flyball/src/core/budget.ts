import { BoundReachedError, ConfigError } from './errors.js';

/** What a run may spend, axis by axis. Who has spent what of it is kept in a ledger (ledger.ts). */

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
/** An axis of a budget that is counted up, such as model calls or cost. */
export type CountedAxis = (typeof AXES)[number];
/** The name of a limit in a budget. */
export type Axis = CountedAxis | 'depth' | 'width' | 'deadline' | 'noProgress';
/** An amount for each counted axis of a budget. */
export type Amounts = Readonly<Record<CountedAxis, number>>;

/** The limits of a run, one for each axis. */
export interface Budget extends Amounts {
  /** How deep children can be nested below the run, or in a slice, below the child. */
  readonly depth: number;
  /** Branches that are open at the same time, including nested ones. */
  readonly width: number;
  /** Consecutive calls that repeat an earlier call and get the same result. */
  readonly noProgress: number;
  /** The date after which nothing starts. Unlike `wallMs`, waiting counts. */
  readonly deadline?: number;
}

/**
 * A part of a budget, for a child or for a stretch of code. Every counted axis is divided: named ones to the amount given,
 * the others by `of` or `share`, or in half where neither is given. So a bound inside is never the end of what is around.
 */
export type BudgetSlice = Partial<Budget> & {
  /** This part of what is left, from 0 to 1. */
  readonly share?: number;
  /**
   * One of so many equal parts: four of 40 are 10 each, whenever they are given out and whatever the others spend. They
   * belong together where they are asked for in one scope, or in the branches of one `all`, `each`, `some` or `first`.
   * Under another budget of the run, those that are open and those still to come are equal parts of that one.
   * Time is not divided, because branches spend the same minute: each part has half of what is left.
   */
  readonly of?: number;
  /**
   * Axes that are not divided: all, or those named here. What is spent of them is taken from what is around, and a bound
   * there is its bound. Iterations are always divided, because the code counts them itself.
   */
  readonly shared?: true | readonly CountedAxis[];
};

/**
 * Modest defaults: enough for a tool loop, small enough that a runaway is noticed. Iterations are a backstop for all
 * loops of a run together: how long one loop may go on is its own setting, `maxIterations`, and must not be cut here.
 */
const STANDARD: Budget = {
  iterations: 1_000,
  modelCalls: 200,
  toolCalls: 500,
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

/** A complete budget: the given limits, and defaults for all other axes. */
export function budget(limits: Partial<Budget> = {}): Budget {
  for (const [axis, limit] of Object.entries(limits)) checkLimit(axis, limit);
  return { ...STANDARD, ...limits };
}

/** A budget as a journal holds it. An axis that did not exist when it was written is at its default, never unbounded. */
export function completed(stored: Partial<Budget>): Budget {
  const known = Object.entries(stored).filter(([, limit]) => limit !== undefined && limit !== null);
  return { ...STANDARD, ...Object.fromEntries(known) };
}

function checkLimit(axis: string, limit: unknown): void {
  if (!(axis in STANDARD) && axis !== 'deadline') throw unknownAxis(axis);
  if (!isAmount(limit)) {
    throw new ConfigError(`Budget axis ${axis} must be a finite number of at least 0, got ${String(limit)}.`);
  }
}

function unknownAxis(axis: string, where = ''): ConfigError {
  return new ConfigError(`Unknown budget axis "${axis}"${where}. The axes are ${[...AXES, 'deadline'].join(', ')}.`);
}

/** A slice that makes sense: NaN or a negative number would lift a bound instead of setting one. */
export function checkSlice({ share, of, shared, ...limits }: BudgetSlice): void {
  for (const [axis, limit] of Object.entries(limits)) if (limit !== undefined) checkLimit(axis, limit);
  if (share !== undefined && !(isAmount(share) && share <= 1)) {
    throw new ConfigError(`A share of a budget must be between 0 and 1, got ${String(share)}.`);
  }
  if (of !== undefined && !(Number.isInteger(of) && of >= 1))
    throw new ConfigError(`A budget is divided into a whole number of parts, got of: ${String(of)}.`);
  if (of !== undefined && share !== undefined)
    throw new ConfigError('A slice of a budget takes share or of, not both: a share of what is left, or equal parts.');
  for (const axis of shared === true ? [] : (shared ?? []))
    if (!AXES.includes(axis)) throw unknownAxis(axis, ' in shared');
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

export function sum(a: Amounts, b: Amounts): Amounts {
  const total: Record<CountedAxis, number> = { ...NOTHING };
  for (const axis of AXES) total[axis] = a[axis] + b[axis];
  return total;
}

/** The budget as an agent sees it. `take` counts iterations of your own loops. */
export interface BudgetView {
  readonly limits: Budget;
  spent(): Amounts;
  /** Of a fork: what was spent before it, up to its point. Limits of autonomy count it; it is not on the fork's bill. */
  before(): Amounts;
  remaining(axis: CountedAxis): number;
  take(axis: 'iterations', amount?: number): void;
}

export interface Refusal {
  readonly node: string;
  readonly bound: Axis;
  readonly limit: number;
  readonly spent: number;
  /** What was asked for, and what was left to give: the limit without what is spent, reserved and possibly paid. */
  readonly wanted: number;
  readonly left: number;
}

export function boundReached(refusal: Refusal): BoundReachedError {
  return new BoundReachedError(refusal);
}
