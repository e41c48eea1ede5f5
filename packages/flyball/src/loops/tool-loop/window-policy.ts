import type { Content } from '../../core/parts.js';
import type { Prompt } from '../../core/prompt.js';
import { outputLimitOf } from '../../core/request.js';
import type { Run } from '../../core/run.js';
import type { Session } from '../../core/session.js';

/** A conversation that has to fit into the window of a model. */
export interface Window {
  readonly prompt: Prompt;
  /** How many tokens it takes, and how many fit. */
  readonly tokens: number;
  readonly room: number;
  /** A task has just been given: whatever was looked up for the tasks before it is used up. */
  readonly begins: boolean;
  /** Who works in it. */
  readonly session: Session<unknown>;
  /** What the policy came to nothing with last: it is not tried again below this many tokens. */
  readonly notBelow: number;
  /** Tokens of another version of the conversation. Kept in the journal, so that a replay decides the same. */
  count(prompt: Prompt): Promise<number>;
}

/** A conversation that takes less room than it did. */
export interface Shorter {
  readonly prompt: Prompt;
  readonly tokens: number;
  /** What was taken out and can be recalled, by the id that its stub names. */
  readonly originals: ReadonlyMap<string, Content>;
}

/** What a policy made of a conversation. */
export interface Fitted {
  /** Absent where it stays as it is. */
  readonly shorter?: Shorter;
  /** It came to nothing: it is not tried again below this many tokens, */
  readonly notBelow?: number;
  /** for this reason. */
  readonly why?: string;
  /** Tokens of the model calls that it took. */
  readonly spent?: number;
}

/**
 * A way to keep a conversation inside the window. It is a value without a state of its own: one policy serves any number
 * of conversations.
 */
export interface WindowPolicy {
  readonly name: string;
  /** Tokens from which on it has to be asked, of those that fit. */
  from(room: number): number;
  /** It also has something to do when a task is given, however much room there is. */
  readonly atBegin: boolean;
  /** Why it could do nothing where that many tokens fit: said when the loop is made. Undefined where it can. */
  refuses?(room: number): string | undefined;
  /** Undefined where it leaves the conversation as it is. */
  fit(run: Run, window: Window): Promise<Fitted | undefined>;
}

/** Tokens of a prompt that fit: the window less what the answer may take. */
export function roomOf(session: Pick<Session<unknown>, 'model' | 'sampling'>): number {
  const { window } = session.model.capabilities;
  return Math.max(1, window - Math.min(outputLimitOf(session), window / 2));
}

/** The share of the room at which something is done about it. */
export const TRIGGER = 0.7;
/** Turns at the end that are never touched. */
export const KEEP_RECENT = 6;
