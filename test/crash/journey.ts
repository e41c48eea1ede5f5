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

export function endName(end: End): string {
  if (end.stop === 'failed') return `failed:${end.failure.code}`;
  if (end.stop === 'bounded') return `bounded:${end.bound}`;
  if (end.stop !== 'stalled') return end.stop;
  // of a replay that parted from its history, the step at which it did
  const step = /journal holds [^",]*"([^"]*)"/.exec(end.because)?.[1];
  return `stalled:${end.code}${step === undefined ? '' : `:${step}`}`;
}

export function detailOf(end: End): string {
  return 'because' in end ? end.because : JSON.stringify(end);
}
