import type { Outcome, RunHandle, Runtime } from 'flyball';
import type { Limits } from './case.js';

/** How a run came to rest: its outcome, or that it was set aside, hangs, or turns in circles. */
export type End =
  | Exclude<Outcome<unknown>, { readonly stop: 'suspended' }>
  | { readonly stop: 'stalled'; readonly code: string; readonly because: string }
  | { readonly stop: 'hangs' | 'spins'; readonly because: string };

/** One run on its way to its end, over all its lives. */
export interface Journey {
  readonly runId: string;
  readonly person: Person;
  /** Budgets that are still to come. */
  readonly later: Limits[];
  /**
   * What held, and how many tools had been executed when it began to hold; `called`: of these, without what was only
   * announced by then.
   */
  readonly eras: {
    readonly toolCalls: number;
    readonly before: number;
    readonly called?: number;
    readonly given?: Limits;
  }[];
  /** It has more than it can use. */
  hasPlenty: boolean;
  begin(runtime: Runtime): Promise<RunHandle>;
}

/** What whoever answers a run knows of its questions, over all its lives. */
export interface Person {
  /** Tokens that were asked under, and whether an answer was accepted. */
  readonly asked: Map<string, { isAnswered: boolean; rounds: number }>;
  /** Tokens under which somebody was asked whether a live fork may act. */
  readonly liveForkAsked: Set<string>;
}

export function person(): Person {
  return { asked: new Map(), liveForkAsked: new Set() };
}
