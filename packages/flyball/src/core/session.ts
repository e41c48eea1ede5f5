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
import type { Prompt } from './prompt.js';
import type { JsonSchema, StandardSchema } from './schema.js';
import type { ToolRef } from './tool.js';

/**
 * Who is asked: a model in a role, with an immutable setup. A judge, a planner and a drafter are three sessions
 * even on one model. Setup text never reappears in user turns.
 */
export interface Session<T = string> {
  readonly name: string;
  readonly model: Model;
  readonly setup: string;
  readonly tools?: readonly ToolRef[];
  readonly toolChoice?: ToolChoice;
  /** With a schema the reply is parsed and checked, and asked again at most `maxReasks` times (2 where it is absent). */
  readonly output?: StandardSchema<unknown, T>;
  readonly outputJsonSchema?: JsonSchema;
  readonly maxReasks?: number;
  readonly sampling?: Sampling;
  readonly timeoutMs?: number;
}

/** What is asked: a prompt chain, or text that starts one. */
export type Input = string | Prompt;

/** The reply to `run.ask`, with its parsed value and cost. */
export interface Reply<T> {
  /** The text, or what the output schema made of it. Undefined when a session with a schema got tool calls instead. */
  readonly value: T;
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: TokenUsage;
  readonly costUsd: number;
  /** `provider/model` that answered. */
  readonly model: string;
  readonly reasoning?: string;
  readonly logProbs?: readonly TokenLogProb[];
  /** Names of the tools that the request carried, where the `tools.load` seam left others than the session has. */
  readonly offered?: readonly string[];
  /** The chain that was asked, with this reply appended: what the next turn continues. */
  readonly prompt: Prompt;
}

export type { ModelReply };
