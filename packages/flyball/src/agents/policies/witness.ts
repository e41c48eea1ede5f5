import type { ToolCall } from '../../core/model.js';
import type { HeardOrMade, HeardTurn } from './conversation-policy.js';
import { type Arguments, type GateCall, readCall, readProposal } from './gate-call.js';
import type { GateRules } from './gate-rules.js';

/** Something that took place: the other side spoke or was spoken to, or a call was answered. */
export type Happening =
  | { readonly kind: 'words'; readonly text: string }
  | { readonly kind: 'told'; readonly text: string }
  | { readonly kind: 'deed'; readonly call: GateCall; readonly content: string; readonly ok: boolean };

export type Deed = Extract<Happening, { readonly kind: 'deed' }>;

export function isDeed(one: Happening): one is Deed {
  return one.kind === 'deed';
}

/** The calls that succeeded, in order. */
export function deedsDone(happened: readonly Happening[]): readonly Deed[] {
  return happened.filter((one): one is Deed => isDeed(one) && one.ok);
}

/** What the rules are decided on: what took place, in order, and the texts that were known from the start. */
export interface Evidence {
  readonly happened: readonly Happening[];
  /** The policy, with the documents that it may hold. */
  readonly known: readonly string[];
}

/**
 * Keeps what took place, as results tell it. Results come out of the journal, live and on replay alike, so a witness of
 * a run that starts again from the top has seen the same. What a model says took place is not heard here.
 */
export class Witness implements Evidence {
  readonly happened: Happening[] = [];
  readonly known: readonly string[];
  private readonly rules: GateRules;
  private waiting: ToolCall[] = [];

  constructor(rules: GateRules, known: readonly string[] = []) {
    this.rules = rules;
    this.known = known;
  }

  /** Calls that were passed on: their results will come. */
  expects(calls: readonly ToolCall[]): void {
    this.waiting = [...calls];
  }

  hears(heard: HeardTurn): void {
    if (heard.kind === 'words') return this.says(heard.text);
    for (const { id, content, failed } of heard.results) {
      // results come in the order of their calls: a model that gives two of them one id must not lend one's answer to the other
      const at = this.waiting.findIndex((call) => call.id === id);
      const [call] = at < 0 ? [] : this.waiting.splice(at, 1);
      if (call !== undefined) this.keep(readProposal(this.rules, call), content, failed);
    }
  }

  says(text: string): void {
    this.happened.push({ kind: 'words', text });
  }

  /** The agent's own words. They prove nothing, but what somebody was told they do not know of themselves. */
  tells(text: string): void {
    if (text.trim() !== '') this.happened.push({ kind: 'told', text });
  }

  /** A call made through a run, with its answer. */
  saw(tool: string, args: unknown, answer: { readonly content: string; readonly failed: boolean }): void {
    if (typeof args !== 'object' || args === null || Array.isArray(args)) return;
    this.keep(readCall(this.rules, tool, args as Arguments), answer.content, answer.failed);
  }

  recall(history: readonly HeardOrMade[]): void {
    for (const turn of history) {
      if (turn.by === 'other') this.hears(turn.heard);
      else {
        if (turn.calls.length === 0) this.tells(turn.text);
        this.expects(turn.calls);
      }
    }
  }

  private keep(read: ReturnType<typeof readCall>, content: string, failed: boolean): void {
    if (!read.ok) return;
    const ok = !failed && !this.rules.failing.some((beginning) => content.startsWith(beginning));
    this.happened.push({ kind: 'deed', call: read.call, content, ok });
  }
}
