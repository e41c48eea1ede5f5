import { canonicalJson } from '../../core/canonical.js';

/** A call that ended, as far as going in circles is concerned. */
export interface CountedCall {
  readonly name: string;
  readonly args: unknown;
  readonly result: string;
  /** It succeeded and changed something. */
  readonly changed: boolean;
}

/**
 * Counts how often the same call gave the same result without anything new in between. A call whose result changes makes
 * progress; so does one that was not made before, and then every other count begins again. After something changed, all
 * that was known before may be worth looking at again.
 */
export class RepeatMeter {
  private readonly seen = new Map<string, Seen>();
  /** Rises with every call that brought something new: counts of before begin again, without touching each of them. */
  private news = 0;

  /** How many times this call has now given this result: 1 for the first. */
  count({ name, args, result, changed }: CountedCall): number {
    const call = `${name}\u001f${canonicalJson(args ?? null)}`;
    const before = this.seen.get(call);
    const isNew = before?.result !== result;
    if (isNew) this.news++;
    if (isNew && changed) this.seen.clear();
    const times = isNew ? 1 : 1 + (before.since === this.news ? before.times : 1);
    this.seen.set(call, { result, times, since: this.news });
    return times;
  }
}

interface Seen {
  readonly result: string;
  readonly times: number;
  /** The news it was counted under. */
  readonly since: number;
}

/** Told once before the loop is ended for it, so that a model can still do something else. */
export function repeatNotice(name: string, times: number): string {
  return `\n\n(${name} has given this same result ${times} times for the same arguments. Do something else, or answer.)`;
}
