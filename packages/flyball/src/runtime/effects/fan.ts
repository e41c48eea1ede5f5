import { CancelledError, ConfigError } from '../../core/errors.js';
import type { Arrived, Run } from '../../core/run.js';
import type { Attempt } from '../attempt.js';
import type { Scope } from '../open-effects.js';
import { closeBranches, openBranches, settled, undoBranch } from './branches.js';

/** Branches of a loop over what they bring, or of a quorum. */
export interface Fanned<T> {
  readonly branches: readonly ((run: Run) => Promise<T>)[];
  readonly width: number;
  /** What its scopes are called. */
  readonly name: 'each' | 'some';
  /** Why a branch that is open when it is left was cancelled. */
  readonly whenLeft: string;
  readonly run: (branch: Scope, body: (run: Run) => Promise<T>) => Promise<T>;
}

/**
 * Branches side by side, at most so many at a time, started in order, whose results are taken as they come. They come in
 * the order of the journal, so a replay brings the same.
 *
 * 1. A branch that has settled is done: nothing that happens to the others undoes it.
 * 2. When the fan is left, branches that are open are cancelled and what they did is undone; those that did not begin
 *    never do.
 */
export class Fan<T> {
  readonly group: string;
  private readonly attempt: Attempt;
  private readonly scope: Scope;
  private readonly given: Fanned<T>;
  private readonly open = new Set<Scope>();
  private readonly lanes: number;
  private next = 0;
  private isLeft = false;

  constructor(attempt: Attempt, scope: Scope, given: Fanned<T>) {
    const { width, branches, name } = given;
    if (!(Number.isInteger(width) && width >= 1))
      throw new ConfigError(`width must be a whole number of at least 1, got ${width}.`);
    this.attempt = attempt;
    this.scope = scope;
    this.given = given;
    this.lanes = Math.min(width, branches.length);
    openBranches(attempt, scope, this.lanes);
    this.group = `${scope.path}/${name}.${scope.groups++}`;
  }

  /** Starts the branches. Nothing is reported any more once it is left. */
  begin(report: (arrived: Arrived<T>) => void): void {
    for (let lane = 0; lane < this.lanes; lane++) void this.work(report);
  }

  private async work(report: (arrived: Arrived<T>) => void): Promise<void> {
    const { branches, run } = this.given;
    const { effects } = this.attempt;
    while (!this.isLeft && this.next < branches.length) {
      const index = this.next++;
      const body = branches[index] as (run: Run) => Promise<T>;
      const own = effects.scope(`${this.group}.${index}`, this.scope);
      this.open.add(own);
      const result = await settled(() => run(own, body));
      this.open.delete(own);
      if (own.isOver() && own.closedReason() === undefined) effects.forget(own);
      if (!this.isLeft) report({ ...result, index });
    }
  }

  /** From here on nothing begins and nothing is reported. */
  stop(): void {
    this.isLeft = true;
  }

  /**
   * Cancels what is open, and resolves when what it did is undone. An act in doubt is undone when it turns out to have
   * happened. On the way out of a bound nothing is cancelled or undone: the bound closes it all, and may be lifted.
   */
  async leave(): Promise<void> {
    this.stop();
    const open = this.attempt.books.bounds.isOnTheWayOut(this.scope.path) ? [] : [...this.open];
    const { whenLeft } = this.given;
    try {
      for (const branch of open) this.attempt.effects.close(branch.path, new CancelledError(whenLeft, branch.path));
      for (const branch of open.reverse()) await undoBranch(this.attempt, this.scope, branch, whenLeft);
    } finally {
      closeBranches(this.scope, this.lanes);
    }
  }
}
