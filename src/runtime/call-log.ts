import type { EventOf } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { MadeCall } from '../core/run.js';

/** What is kept of an answer: given again where the same is asked again. */
export type KeptAnswer = Pick<EventOf<'complete'>, 'result' | 'declined'>;

/**
 * The tool calls that ended, as they were delivered: on replay the same ones in the same order. Kept by ledger, because
 * a finished child is not run again, and its parent must not know its calls in one life and not in the next.
 */
export class CallLog {
  private readonly answers = new WeakMap<Ledger, Map<string, KeptAnswer>>();
  private readonly models = new WeakMap<Ledger, Set<string>>();
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

  /** A model answered, here or in a child that has ended. */
  answeredBy(ledger: Ledger, path: string, model: string): void {
    const known = this.models.get(ledger) ?? new Set<string>();
    this.models.set(ledger, known.add(`${path}\n${model}`));
  }

  modelsUnder(ledger: Ledger, path: string): readonly string[] {
    const found = [...(this.models.get(ledger) ?? [])].map((each) => each.split('\n') as [string, string]);
    return [...new Set(found.flatMap(([at, model]) => (isAtOrBelow(at, path) ? [model] : [])))].sort();
  }

  /** Those made in a scope and below it. */
  under(ledger: Ledger, path: string): readonly MadeCall[] {
    return (this.made.get(ledger) ?? []).flatMap(({ path: at, call }) => (isAtOrBelow(at, path) ? [call] : []));
  }
}

function isAtOrBelow(other: string, path: string): boolean {
  return path === '' || other === path || other.startsWith(`${path}/`);
}
