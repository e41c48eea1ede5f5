import type { JsonSchema } from './schema.js';

/** The model port: one call to a language model. Adapters translate vendors into these types and nothing leaks past them. */
export interface Model {
  /** `provider/model`, the key into the price table. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** What it costs, where the price table does not say. */
  readonly price?: Price;
  /** Prompt tokens this request may cost at most. Must not under-count: reservations rest on it. */
  countTokens(request: ModelRequest): number;
  /** Makes the call. Rejects when `signal` aborts. */
  generate(request: ModelRequest, how: ModelCallContext): Promise<ModelReply>;
}

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelCapabilities {
  readonly window: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  readonly structuredOutput: boolean;
  readonly promptCache: boolean;
}

export interface ModelCallContext {
  readonly signal: AbortSignal;
  /** Stable over retries of the same call. */
  readonly key: string;
  readonly onDelta?: (delta: ModelDelta) => void;
}

export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string };

export interface ModelRequest {
  readonly session: string;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly output?: JsonSchema;
  readonly sampling: Sampling;
}

export interface Sampling {
  readonly maxOutputTokens?: number;
  readonly temperature?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
}

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

export type Message =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly toolCalls?: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string };

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
}

/** A call that the model proposes; `arguments` is its raw text, not yet parsed or believed. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error';

export interface TokenUsage {
  /** All prompt tokens, cached ones included. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: TokenUsage;
  readonly reasoning?: string;
}
