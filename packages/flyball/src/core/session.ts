import type {
  FinishReason,
  Model,
  ModelReply,
  Sampling,
  TokenLogProb,
  TokenUsage,
  ToolCall,
  ToolChoice,
} from './model.js';
import type { MessagePart } from './parts.js';
import type { Prompt, Segment } from './prompt.js';
import type { JsonSchema, StandardSchema } from './schema.js';
import type { ToolRef } from './tool.js';

/**
 * A model in a role, with a fixed system prompt (`setup`). A judge and a planner are two sessions, even with the same
 * model. The setup is never repeated in user turns.
 */
export interface Session<T = string> {
  readonly name: string;
  readonly model: Model;
  readonly setup: string;
  /**
   * Stands last in every prompt of this session, and in none of the conversations that come of it. Text that the author did
   * not write belongs here and not into `setup`: it keeps its trust.
   */
  readonly closing?: readonly Pick<Segment, 'content' | 'owner' | 'trust'>[];
  readonly tools?: readonly ToolRef[];
  readonly toolChoice?: ToolChoice;
  /**
   * With a schema, the reply is parsed and checked, and the model is asked again at most `maxReasks` times (2 by
   * default).
   */
  readonly output?: StandardSchema<unknown, T>;
  readonly outputJsonSchema?: JsonSchema;
  /** What `output` is given: the JSON value in the reply by default, or its text as it is. */
  readonly reads?: 'json' | 'text';
  readonly maxReasks?: number;
  readonly sampling?: Sampling;
  readonly timeoutMs?: number;
}

/** The input of a model call: a prompt, or what the first message says, as text or in parts. */
export type Input = string | readonly MessagePart[] | Prompt;

/** The reply to `run.ask`, with its parsed value and cost. */
export interface Reply<T> {
  /**
   * The text, or the value that the output schema returned. Undefined if a session with a schema got tool calls
   * instead.
   */
  readonly value: T;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: TokenUsage;
  readonly costUsd: number;
  /** The `provider/model` that answered. */
  readonly model: string;
  readonly reasoning?: string;
  readonly logProbs?: readonly TokenLogProb[];
  /** Names of the tools that the request carried, where the `tools.load` seam left others than the session has. */
  readonly offered?: readonly string[];
  /** The prompt with this reply appended. Pass it as the input of the next turn. */
  readonly prompt: Prompt;
}

export type { ModelReply };
