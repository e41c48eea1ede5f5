import type { Told } from './known.js';

/** A body or a call is at work after these. */
const UNDER_WAY: ReadonlySet<string> = new Set(['intent', 'ask-start']);

interface Sign {
  readonly activeMs: number;
  readonly at: number;
}

/** How long a run was at work, as far as somebody outside can be sure of it: what a killed life worked counts. */
export class Worked {
  private fence = 0;
  private last: (Sign & { readonly type: string; readonly fence: number }) | undefined;
  /** The last sign of life that was accepted, and what the lease then was. */
  private sign: Sign & { readonly leaseMs: number } = { activeMs: 0, at: 0, leaseMs: 0 };
  private least = 0;

  claimed(fence: number, sign: Sign, leaseMs: number): void {
    this.fence = fence;
    this.sign = { ...sign, leaseMs };
  }

  renewed(sign: Sign, leaseMs: number): void {
    this.sign = { ...sign, leaseMs };
  }

  /** Its owner is killed now. Whoever stood still or was cut off counts until its next sign of life was due. */
  killed(now: number): void {
    const { last, sign } = this;
    if (last === undefined || last.fence !== this.fence || !UNDER_WAY.has(last.type)) return;
    const worked = last.activeMs + now - last.at;
    const shown = sign.activeMs + Math.min(now - sign.at, sign.leaseMs / 3);
    this.least = Math.max(this.least, Math.trunc(Math.min(worked, shown)));
  }

  /** Its owner has said for how long it was at work: what a process does while that is on its way does not count. */
  givenBack(activeMs: number): void {
    this.least = Math.min(this.least, Math.trunc(activeMs));
  }

  /** Answers how long it had been at work, where a life that begins has forgotten some of it. */
  wrote({ type }: Told, { activeMs, at }: Sign): number | undefined {
    this.last = { type, activeMs, at, fence: this.fence };
    if (type !== 'attempt-start') return undefined;
    const { least } = this;
    this.least = 0;
    return activeMs < least ? least : undefined;
  }
}
