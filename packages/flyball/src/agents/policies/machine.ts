import { ConfigError } from '../../core/errors.js';
import type { PrecedenceRule } from './task-order.js';

/** The phases of the imperative conversation policy. */
export const PHASES = [
  'GREETING',
  'TRIAGE',
  'VERIFICATION',
  'PLANNING',
  'EXECUTION',
  'CONFIRMATION',
  'COMPLETE',
  'ADVISORY',
  'ESCALATE',
] as const;

/** What a phase expects: text, a tool call, or either. */
export type ResponseType = 'text' | 'tool_call' | 'either';

/**
 * What a transition may ask. All of it is code's own knowledge: the state, and what kind of turn came in.
 * identified, verified, unverified: the two gates. planned, emptied: the queue has tasks, or none left.
 * words: the other side spoke. informed: a lookup of documents gave something. handed-over: a transfer was made.
 * overstayed: the phase has had its turns.
 */
export type Condition =
  | 'identified'
  | 'verified'
  | 'unverified'
  | 'planned'
  | 'emptied'
  | 'words'
  | 'informed'
  | 'handed-over'
  | 'overstayed';

/** When the imperative policy changes to another phase. */
export interface Transition {
  readonly when: Condition;
  readonly to: string;
}

/** A phase of the imperative policy: instruction, tools and transitions. */
export interface Phase {
  readonly instruction: string;
  /** Names of tools that are offered; `*` stands for any run of characters. Not a fence: what is called anyway is passed on. */
  readonly tools: readonly string[];
  readonly expect: ResponseType;
  /** The first that holds is taken; where none does, the phase stays. */
  readonly next: readonly Transition[];
  /** Turns after which it has `overstayed`. */
  readonly turns?: number;
  /** The live queue is shown. */
  readonly showsQueue?: true;
  /** A TASKS block is read from its replies. */
  readonly plans?: true;
  /** An end of the conversation: tries that are used up lead nowhere from here. */
  readonly terminal?: true;
}

/** Failures in a row after which the machine goes to `phase`, before it asks anything else. */
export interface RetryPolicy {
  readonly max: number;
  readonly phase: string;
}

/** A phase machine as data: another domain writes another one. */
export interface Machine {
  readonly domain: string;
  readonly start: string;
  readonly phases: Readonly<Record<string, Phase>>;
  readonly precedence: readonly PrecedenceRule[];
  /** By tool. */
  readonly retries: Readonly<Record<string, RetryPolicy>>;
  /** Calls that, when they succeed, set a gate, complete a task, inform, or hand over. Patterns as in `Phase.tools`. */
  readonly identifies: readonly string[];
  readonly verifies: readonly string[];
  readonly executes: readonly string[];
  readonly informs: readonly string[];
  readonly handsOver: readonly string[];
  /** Beginnings of results that are failures, beside those that are marked as such. */
  readonly failing: readonly string[];
  /** The only task where planning ends without a list. */
  readonly wholeTask: string;
}

/** Bad machines fail when they are handed over, before a token is spent. */
export function checkedMachine(machine: Machine): Machine {
  const named = (phase: string, by: string): void => {
    if (!Object.hasOwn(machine.phases, phase))
      throw new ConfigError(`The machine for ${machine.domain} has no phase "${phase}", which ${by} leads to.`);
  };
  named(machine.start, 'its start');
  for (const [name, { next, turns }] of Object.entries(machine.phases)) {
    for (const { to } of next) named(to, name);
    if (turns !== undefined && !(Number.isSafeInteger(turns) && turns >= 1))
      throw new ConfigError(
        `Phase ${name} of ${machine.domain}: turns must be a whole number of at least 1, got ${turns}.`,
      );
  }
  for (const [tool, { max, phase }] of Object.entries(machine.retries)) {
    named(phase, `the retry policy of ${tool}`);
    if (!(Number.isSafeInteger(max) && max >= 1))
      throw new ConfigError(`The retry policy of ${tool} needs a whole number of at least 1, got ${max}.`);
  }
  return machine;
}
