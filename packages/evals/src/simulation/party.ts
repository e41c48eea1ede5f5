import type { SimMessage, SpokenMessage, ToolMessage } from '../world/message.js';

/** What reaches a party: the other side's words, or the results of its own calls. */
export type Incoming = SpokenMessage | readonly ToolMessage[];

/**
 * One side of a simulation. `open` gives it the part of a history that it may see; then it takes turns.
 * A party keeps what it needs in memory: inside a run it is driven again from the top, and the journal answers.
 */
export interface Party {
  open(history: readonly SimMessage[]): void;
  take(incoming: Incoming): Promise<SpokenMessage>;
  /** The first move of an agent that works alone. */
  begin?(): Promise<SpokenMessage>;
  /** True for a message that ends the conversation. */
  stops(message: SpokenMessage): boolean;
}

/** Why a simulated conversation ended. */
export type Termination =
  | 'user_stop'
  | 'agent_stop'
  | 'max_steps'
  | 'timeout'
  | 'too_many_errors'
  | 'agent_error'
  | 'user_error'
  | 'infrastructure_error'
  | 'context_window_exceeded'
  | 'unexpected_error';

/** The limits of a simulated conversation. */
export interface Limits {
  readonly maxSteps: number;
  readonly maxErrors: number;
  readonly timeoutMs?: number;
  /** Ends a simulation on an empty message, or on words together with calls. */
  readonly enforceProtocol?: boolean;
  readonly solo?: boolean;
}

/** A simulated conversation: its messages and how it ended. */
export interface Course {
  readonly messages: readonly SimMessage[];
  readonly termination: Termination;
  readonly steps: number;
  readonly errors: number;
  readonly agentCost: number | null;
  readonly userCost: number | null;
  /** Ids of calls that a guard refused: they never reached the environment, so a replay leaves them out too. */
  readonly refused?: readonly string[];
}
