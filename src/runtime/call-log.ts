import type { Ledger } from '../core/budget.js';
import type { EventOf } from '../core/events.js';
import type { MadeCall } from '../core/run.js';

/** What is kept of an answer: given again where the same is asked again. */
export type KeptAnswer = Pick<EventOf<'complete'>, 'result' | 'declined'>;

/**
 * The tool calls that ended, as they were delivered: on replay the same ones in the same order. Kept by ledger, because
 * a finished child is not run again, and its parent must not know its calls in one life and not in the next.
 */
export class CallLog {
  private readonly answers = new WeakMap<Ledger, Map<string, KeptAnswer>>();
  private readonly made = new WeakMap<Ledger, { readonly path: string; readonly call: MadeCall }[]>();

  add(ledger: Ledger, path: string, call: MadeCall): void {
    const list = this.made.get(ledger);
    if (list === undefined) this.made.set(ledger, [{ path, call }]);
    else list.push({ path, call });
  }

  /** What a person answered, by the fingerprint of the question. */
  answered(ledger: Ledger, fp: string, { result, declined }: KeptAnswer): void {
    const known = this.answers.get(ledger) ?? new Map<string, KeptAnswer>();
    this.answers.set(ledger, known.set(fp, { result, ...(declined === undefined ? {} : { declined }) }));
  }

  answerTo(ledger: Ledger, fp: string): KeptAnswer | undefined {
    return this.answers.get(ledger)?.get(fp);
  }

  /** Those made in a scope and below it. */
  under(ledger: Ledger, path: string): readonly MadeCall[] {
    const inside = (other: string): boolean => path === '' || other === path || other.startsWith(`${path}/`);
    return (this.made.get(ledger) ?? []).flatMap(({ path: at, call }) => (inside(at) ? [call] : []));
  }
}
