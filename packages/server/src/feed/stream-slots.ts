import { makersOf, type Principal } from '../access/principal.js';
import { Problem } from '../problem.js';

/** Runs that one credential may follow at once, in all of its streams: each of them is looked at while it is followed. */
const MOST_RUNS = 1_000;

interface Held {
  readonly streams: number;
  readonly runs: number;
}

export type SlotHolder = Pick<Principal, 'id' | 'tenant' | 'account' | 'makers'>;

interface SlotLimits {
  /** Of a credential together with the keys that it made, and that these made. */
  readonly each: number;
  /** Of all credentials of a tenant. */
  readonly tenant?: number;
  /** For people, in the plural. */
  readonly what?: string;
}

interface Holder {
  readonly name: string;
  readonly most: number;
  readonly who: string;
}

/**
 * How many streams (or calls) each credential and tenant holds open, and how many runs it follows in them. There is no
 * limit for all tenants together: one of them could take the last place of another.
 */
export class StreamSlots {
  private readonly open = new Map<string, Held>();
  private readonly limits: SlotLimits;

  constructor(limits: SlotLimits) {
    this.limits = limits;
  }

  /** Takes a slot for a stream of so many runs; returns how to give it back. */
  take(principal: SlotHolder, runs = 1): () => void {
    const holders = this.holdersOf(principal);
    for (const holder of holders) this.requireRoom(holder, runs);
    for (const { name } of holders) this.add(name, { streams: 1, runs });
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      for (const { name } of holders) this.add(name, { streams: -1, runs: -runs });
    };
  }

  private holdersOf(principal: SlotHolder): readonly Holder[] {
    const { id, tenant } = principal;
    const { each, tenant: ofTenant } = this.limits;
    const named = (of: string, who: string): Holder => ({ name: JSON.stringify([tenant, of]), most: each, who });
    const together = 'The credential that created this key, together with its keys,';
    return [
      named(id, 'This credential'),
      ...makersOf(principal).map((maker) => named(maker.id, together)),
      ...(ofTenant === undefined ? [] : [{ name: tenant, most: ofTenant, who: 'This tenant' }]),
    ];
  }

  private requireRoom({ name, most, who }: Holder, runs: number): void {
    const held = this.open.get(name) ?? { streams: 0, runs: 0 };
    const { what = 'open streams' } = this.limits;
    if (held.streams >= most) throw taken(`${who} has ${held.streams} ${what}, which is the maximum`);
    if (held.runs + runs > MOST_RUNS)
      throw taken(`${who} follows ${held.runs} runs in its open streams. The maximum is ${MOST_RUNS}`);
  }

  private add(name: string, more: Held): void {
    const held = this.open.get(name) ?? { streams: 0, runs: 0 };
    const now = { streams: held.streams + more.streams, runs: held.runs + more.runs };
    if (now.streams <= 0) this.open.delete(name);
    else this.open.set(name, now);
  }
}

function taken(why: string): Problem {
  return new Problem(429, 'RATE_LIMITED', `${why}.`, {
    retryable: true,
    next: 'Close one of them first.',
    headers: { 'retry-after': '5' },
  });
}
