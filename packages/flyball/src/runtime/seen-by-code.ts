import type { EffectId, EventOf } from '../core/events.js';
import type { Ledger } from '../core/ledger.js';
import type { ToolCall } from '../core/model.js';
import type { Prompt } from '../core/prompt.js';
import type { MadeCall } from '../core/run.js';
import type { LoadedEntry } from './loaded-entry.js';
import type { Recorded } from './recorded.js';

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
 * a finished child is not run again, and its parent must not know its calls in one life and not in the next. Code with a
 * part of the budget is run again: it is part of the level around it.
 */
export class CallLog {
  private readonly answers = new WeakMap<Ledger, Map<string, KeptAnswer>>();
  private readonly models = new WeakMap<Ledger, Set<string>>();
  private readonly answeredIn = new WeakMap<Ledger, readonly Answered[]>();
  private readonly made = new WeakMap<Ledger, { readonly path: string; readonly call: MadeCall }[]>();

  add(ledger: Ledger, path: string, call: MadeCall): void {
    const list = this.made.get(ledger.level);
    if (list === undefined) this.made.set(ledger.level, [{ path, call }]);
    else list.push({ path, call });
  }

  /** What a person answered, by the fingerprint of the question. */
  answered(ledger: Ledger, fp: string, { result, declined }: KeptAnswer): void {
    const known = this.answers.get(ledger.level) ?? new Map<string, KeptAnswer>();
    this.answers.set(ledger.level, known.set(fp, { result, ...(declined === undefined ? {} : { declined }) }));
  }

  answerTo(ledger: Ledger, fp: string): KeptAnswer | undefined {
    return this.answers.get(ledger.level)?.get(fp);
  }

  replied(ledger: Ledger, answered: Answered): void {
    const others = (this.answeredIn.get(ledger.level) ?? []).filter(({ path }) => path !== answered.path);
    this.answeredIn.set(ledger.level, [...others.slice(1 - MOST_ANSWERED), answered]); // the last one of each scope
  }

  /** The last reply of a scope and of each one around it, the nearest first. */
  repliesAround(ledger: Ledger, path: string): readonly Answered[] {
    const around = (this.answeredIn.get(ledger.level) ?? []).filter((one) => isAtOrBelow(path, one.path));
    return [...around].sort((a, b) => b.path.length - a.path.length);
  }

  /** The last reply of each scope, the latest first. */
  replies(ledger: Ledger): readonly Answered[] {
    return [...(this.answeredIn.get(ledger.level) ?? [])].reverse();
  }

  /** A model answered, here or in a child that has ended. */
  answeredBy(ledger: Ledger, path: string, model: string): void {
    const known = this.models.get(ledger.level) ?? new Set<string>();
    this.models.set(ledger.level, known.add(`${path}\n${model}`));
  }

  modelsUnder(ledger: Ledger, path: string): readonly string[] {
    const found = [...(this.models.get(ledger.level) ?? [])].map((each) => each.split('\n') as [string, string]);
    return [...new Set(found.flatMap(([at, model]) => (isAtOrBelow(at, path) ? [model] : [])))].sort();
  }

  /** Those made in a scope and below it. */
  under(ledger: Ledger, path: string): readonly MadeCall[] {
    return (this.made.get(ledger.level) ?? []).flatMap(({ path: at, call }) => (isAtOrBelow(at, path) ? [call] : []));
  }
}

function isAtOrBelow(other: string, path: string): boolean {
  return path === '' || other === path || other.startsWith(`${path}/`);
}

/** What time it is for the code: that of the last delivered completion, or of the life that lives the turn after it. */
export class CodeTime {
  private readonly times: Recorded['times'];
  private at: number;
  private began: number;

  constructor({ times, lastAt }: Pick<Recorded, 'times' | 'lastAt'>) {
    this.times = times;
    this.began = lastAt;
    this.at = times.first ?? lastAt;
  }

  get now(): number {
    return this.at;
  }

  /** When this life began. */
  get lifeBegan(): number {
    return this.began;
  }

  livesFrom(at: number): void {
    this.began = at;
  }

  /** The code starts from the top. */
  start(): void {
    this.at = this.times.first ?? this.began;
  }

  /** A delivery from history: the journal says in which life its turn was lived; otherwise it is this one. */
  replayed(index: number, at: number): void {
    this.at = this.times.each[index] ?? Math.max(at, this.began);
  }

  happened(at: number): void {
    this.at = at;
  }

  /** What the code does from here on, it does in a life that began then. */
  notBefore(at: number): void {
    this.at = Math.max(this.at, at);
  }
}

/**
 * Who the code is told it is. While a fork's code repeats what one of its ancestors did, it is told the id that it was
 * told then: an id that went into the input of an effect must go into it again. It repeats until it was given every
 * completion of that stretch and has asked again for everything that the stretch left open.
 */
export class ShownId {
  private readonly stretches: readonly Stretch[];
  private readonly own: string;

  constructor(own: string, ancestors: readonly string[], recorded: Pick<Recorded, 'turnsOf' | 'starts' | 'ends'>) {
    this.own = own;
    this.stretches = ancestors.map((id, rank): Stretch => {
      const isUpTo = (entry: LoadedEntry | undefined): boolean =>
        entry?.inherited !== undefined && ancestors.indexOf(entry.inherited) <= rank;
      const left = [...recorded.starts].flatMap(([effect, starts]) =>
        // gates and undos are never asked for by the code itself
        !effect.includes('!') && starts.some(isUpTo) && !isUpTo(recorded.ends.get(effect)) ? [effect] : [],
      );
      return { id, deliveries: recorded.turnsOf(isUpTo), left: new Set(left) };
    });
  }

  /** The code asks for this effect. */
  asked(effect: EffectId): void {
    for (const { left } of this.stretches) left.delete(effect);
  }

  /** After this many completions. */
  after(delivered: number): string {
    const repeated = this.stretches.find(({ deliveries, left }) => delivered < deliveries || left.size > 0);
    return repeated?.id ?? this.own;
  }
}

interface Stretch {
  readonly id: string;
  /** Completions up to its end. */
  readonly deliveries: number;
  /** Starts up to its end that have no end there. */
  readonly left: Set<EffectId>;
}
