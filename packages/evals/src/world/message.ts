import type { PyDict } from '../tau2/python/value.js';

/** Who made a call. */
export type Requestor = 'assistant' | 'user';

/** A call as a trajectory holds it. */
export interface SimCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: PyDict;
  readonly requestor: Requestor;
}

/** Tokens and model calls that a message took. */
export interface Usage {
  readonly completionTokens: number;
  readonly promptTokens: number;
  /** Prompt tokens that a provider's cache answered. */
  readonly cacheReadTokens?: number;
  /** How often a model was asked for the message, where it was more than once. */
  readonly modelCalls?: number;
}

/** What the agent or the user says: words, calls, or both. */
export interface SpokenMessage {
  readonly role: Requestor;
  readonly content: string | null;
  readonly calls: readonly SimCall[];
  /** A list of calls was given and is empty: the reference hands such a message to the environment, and fails there. */
  readonly emptyCallList?: true;
  /** Null where nobody knows what it cost. */
  readonly cost: number | null;
  readonly usage?: Usage;
  readonly generationSeconds?: number;
  /** What only its author's own model needs back, such as reasoning. Never shown to the other side. */
  readonly raw?: unknown;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** What the environment answers to one call. `error` is true only for an exception, not for a text that says "Error". */
export interface ToolMessage {
  readonly role: 'tool';
  /** Id of the call that it answers. */
  readonly id: string;
  readonly content: string;
  readonly requestor: Requestor;
  readonly error: boolean;
  readonly at: number;
}

/** A message of a simulated conversation. */
export type SimMessage = SpokenMessage | ToolMessage;
