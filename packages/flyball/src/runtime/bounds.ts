import { boundReached, type Refusal } from '../core/budget.js';
import type { BoundReachedError } from '../core/errors.js';
import { isUnder } from './loaded-entry.js';
import type { Scope } from './scope.js';

/** Which levels of the budget were reached. A trip is told once; until it is delivered nothing starts on its heels. */
export class Bounds {
  private readonly tripping = new Set<string>();
  private readonly tell: (refusal: Refusal) => void;
  /** A bound of the run itself that its own code ran into, in that very turn. */
  atOnce: BoundReachedError | undefined;

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
    if (refusal.node === '') this.atOnce ??= error;
    this.trip(refusal);
    return error;
  }

  /** The run itself is at a bound. */
  get ofRun(): boolean {
    return this.tripping.has('');
  }

  /** A bound was reached at or above the place of this effect or scope. */
  holds(idOrPath: string): boolean {
    return [...this.tripping].some((node) => isUnder(idOrPath, node));
  }

  /** A bound above this scope was reached and is about to close it, whatever its own budget says. */
  holdsAbove(scope: Scope): boolean {
    return [...this.tripping].some((node) => node !== scope.path && isUnder(scope.path, node));
  }
}
