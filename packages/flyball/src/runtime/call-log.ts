import type { EventOf } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { ToolCall } from '../core/model.js';
import type { Prompt } from '../core/prompt.js';
import type { MadeCall } from '../core/run.js';

/** What is kept of an answer: given again where the same is asked again. */
export type KeptAnswer = Pick<EventOf<'complete'>, 'result' | 'declined'>;

/** A model call that was answered, as whoever decides about its proposals has to know it. */
export interface Answered {
  readonly effect: string;
  readonly path: string;
  readonly session: string;
  readonly model: string;
  readonly prompt: Prompt;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
}

/** Prompts are long: only of the latest replies it is known what they rest on. */
const MOST_ANSWERED = 24;

/**
 * The tool calls that ended, as they were delivered: on replay the same ones in the same order. Kept by ledger, because
 * a finished child is not run again, and its parent must not know its calls in one life and not in the next.
 */
export class CallLog {
  private readonly answers = new WeakMap<Ledger, Map<string, KeptAnswer>>();
  private readonly models = new WeakMap<Ledger, Set<string>>();
  private readonly answeredIn = new WeakMap<Ledger, readonly Answered[]>();
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

  replied(ledger: Ledger, answered: Answered): void {
    const others = (this.answeredIn.get(ledger) ?? []).filter(({ path }) => path !== answered.path);
    this.answeredIn.set(ledger, [...others.slice(1 - MOST_ANSWERED), answered]); // the last one of each scope
  }

  /** The last reply of a scope and of each one around it, the nearest first. */
  repliesAround(ledger: Ledger, path: string): readonly Answered[] {
    const around = (this.answeredIn.get(ledger) ?? []).filter((one) => isAtOrBelow(path, one.path));
    return [...around].sort((a, b) => b.path.length - a.path.length);
  }

  /** The last reply of each scope, the latest first. */
  replies(ledger: Ledger): readonly Answered[] {
    return [...(this.answeredIn.get(ledger) ?? [])].reverse();
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
