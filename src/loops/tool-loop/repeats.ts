import { canonicalJson } from '../../core/canonical.js';

/** Counts how often the same call gave the same result in a row. A call whose result changes makes progress. */
export class RepeatMeter {
  private readonly seen = new Map<string, { readonly result: string; readonly times: number }>();

  /** How many times in a row this call has now given this result: 1 for the first. */
  count(name: string, args: unknown, result: string): number {
    const call = `${name}\u001f${canonicalJson(args ?? null)}`;
    const before = this.seen.get(call);
    const times = before?.result === result ? before.times + 1 : 1;
    this.seen.set(call, { result, times });
    return times;
  }
}

/** Told once before the loop is ended for it, so that a model can still do something else. */
export function repeatNotice(name: string, times: number): string {
  return `\n\n(${name} has given this same result ${times} times for the same arguments. Do something else, or answer.)`;
}
