import { ProgressMeter } from '../core/budget.js';
import type { Ledger } from '../core/ledger.js';

/** A place in the code's call tree: where effect names are counted, budgets are charged and cancellation stops. */
export class Scope {
  readonly path: string;
  readonly parent: Scope | undefined;
  /** Scopes opened below this one that may still be used. */
  readonly children = new Set<Scope>();
  readonly ledger: Ledger;
  readonly meter: ProgressMeter;
  /** Effects asked for so far. */
  effects = 0;
  /** Branch groups and children opened so far: they name sub-scopes. */
  groups = 0;
  randoms = 0;
  /** Effects open right now: more than one is legal, but worth a mention. */
  open = 0;
  /** Branches that run side by side here right now. */
  branches = 0;
  closedBy: Error | undefined;
  private controller: AbortController | undefined;

  constructor(path: string, ledger: Ledger, parent?: Scope) {
    this.path = path;
    this.ledger = ledger;
    this.parent = parent;
    parent?.children.add(this);
    // repeats are judged where the budget is kept: a child's calls are its own
    this.meter = parent !== undefined && parent.ledger === ledger ? parent.meter : new ProgressMeter();
  }

  /** Why nothing may start here any more. */
  closedReason(): Error | undefined {
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.parent) {
      if (scope.closedBy !== undefined) return scope.closedBy;
    }
    return undefined;
  }

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    const reason = this.closedReason();
    if (reason !== undefined && !this.controller.signal.aborted) this.controller.abort(reason);
    return this.controller.signal;
  }

  /** Tells whoever asked for the signal of this scope or one below it; nobody else holds a listener. */
  abort(reason: Error): void {
    this.controller?.abort(reason);
    for (const child of this.children) child.abort(reason);
  }

  /** Branches run here or below, and were not cut off: those of a loser are nobody's any more. */
  hasOpenBranches(): boolean {
    if (this.closedBy !== undefined) return false;
    return this.branches > 0 || [...this.children].some((child) => child.hasOpenBranches());
  }

  /** Nothing is open here or below, and nothing was cut off: no entry can refer to it any more. */
  isOver(): boolean {
    if (this.open > 0 || this.closedBy !== undefined) return false;
    for (const child of this.children) if (!child.isOver()) return false;
    return true;
  }
}
