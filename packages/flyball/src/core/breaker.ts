import type { BreakerPolicy } from './tool.js';

/** That of a breaker that has never opened. */
export const FIRST_ERA = 0;

export type BreakerState = 'closed' | 'open' | 'half-open';

/**
 * A circuit breaker as a decision over times it is given: closed until `failures` happen in a row, then open for
 * `openMs`, then half-open: one trial at a time, whose end closes it or opens it again.
 *
 * Calls may overlap. A caller keeps the `era` of its admission and reports with it: what began before the circuit
 * opened says nothing about the trial that is under way now, and must neither end it nor let a second one in.
 */
export class Breaker {
  private readonly policy: BreakerPolicy;
  private failuresInARow = 0;
  private openUntil: number | undefined;
  private isTrying = false;
  private currentEra = FIRST_ERA;

  constructor(policy: BreakerPolicy) {
    this.policy = policy;
  }

  /** Changes whenever the circuit opens, closes or lets a trial in. Read it right after `refuses` let a call in. */
  get era(): number {
    return this.currentEra;
  }

  state(now: number): BreakerState {
    if (this.openUntil === undefined) return 'closed';
    return now < this.openUntil ? 'open' : 'half-open';
  }

  /** Undefined when a call may be made now, else how long nobody should try. Whoever is let in has to report its end. */
  refuses(now: number): number | undefined {
    if (this.openUntil === undefined) return undefined;
    if (now < this.openUntil) return this.openUntil - now;
    if (this.isTrying) return this.policy.openMs; // the trial under way decides
    this.isTrying = true;
    this.currentEra++;
    return undefined;
  }

  succeeded(era: number = this.currentEra): void {
    if (this.isStale(era)) return;
    this.failuresInARow = 0;
    if (this.openUntil === undefined) return;
    this.openUntil = undefined;
    this.isTrying = false;
    this.currentEra++;
  }

  failed(now: number, era: number = this.currentEra): void {
    if (this.isStale(era)) return;
    this.failuresInARow++;
    if (!this.isTrying && this.failuresInARow < this.policy.failures) return;
    this.openUntil = now + this.policy.openMs;
    this.isTrying = false;
    this.currentEra++;
  }

  /** The call ended without saying anything about the other side: it was cancelled, or its arguments were wrong. */
  undecided(era: number = this.currentEra): void {
    if (!this.isStale(era)) this.isTrying = false;
  }

  /** Of an earlier era, or of none: while the circuit is open and nothing is on trial, nobody was let in. */
  private isStale(era: number): boolean {
    return era !== this.currentEra || (this.openUntil !== undefined && !this.isTrying);
  }
}
