import type { MediaTokenRule } from './media-tokens.js';
import type { MessagePart } from './parts.js';
import type { JsonSchema } from './schema.js';

/** A language model. Adapters translate providers into this interface. */
export interface Model {
  /** `provider/model`, the key into the price table. */
  readonly id: string;
  readonly capabilities: ModelCapabilities;
  /** What it costs, where the price table does not say. */
  readonly price?: Price;
  /** Models that may answer in its place. Their prices count when the worst case of a call is reserved. */
  readonly fallbacks?: readonly Model[];
  /** How many times one `generate` may be paid for at most: 1 where it is absent. Reservations rest on it. */
  readonly paidAttempts?: number;
  /** Prompt tokens this request may cost at most. Must not under-count: reservations rest on it. */
  countTokens(request: ModelRequest): number;
  /** Makes the call. Rejects when `signal` aborts. */
  generate(request: ModelRequest, how: ModelCallContext): Promise<ModelReply>;
  /** Frees what the model holds, such as weights in memory, once its calls have ended. Absent where it holds nothing. */
  close?(): Promise<void>;
}

/** USD per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** What a model can do, and the size of its window. */
export interface ModelCapabilities {
  readonly window: number;
  readonly maxOutputTokens: number;
  readonly tools: boolean;
  /** Several tool calls in one reply. As `tools` where it is absent. */
  readonly parallelTools?: boolean;
  readonly structuredOutput: boolean;
  /** `marked`: the provider caches only up to messages that carry a cache marker. */
  readonly promptCache: boolean | 'marked';
  /** False: it refuses a temperature, and `topP` with it. */
  readonly temperature?: false;
  /** Name of the encoding that counts its tokens, such as `o200k_base`. */
  readonly tokenizer?: string;
  /**
   * Media types that it takes beside text, such as `image/png`, `image/*` or `application/pdf`. None where it is absent:
   * a message with an image is refused before the call. Files of text are sent to every model, as text.
   */
  readonly media?: readonly string[];
  /** By which formula it counts what is not text. The most cautious one where it is absent. */
  readonly mediaTokens?: MediaTokenRule;
}

/** What a model gets besides the request: a signal to stop, an idempotency key, and a callback for deltas. */
export interface ModelCallContext {
  readonly signal: AbortSignal;
  /** Stable over retries of the same call. */
  readonly key: string;
  readonly onDelta?: (delta: ModelDelta) => void;
  /**
   * Tell what the call has used so far, each time with the whole of it: a call that is aborted is charged that. Where it is
   * never told, an aborted call may have cost all that was reserved for it.
   */
  readonly onUsage?: (usage: TokenUsage) => void;
}

/** A part of a reply, sent while the model is writing. */
export type ModelDelta =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'reasoning'; readonly text: string }
  /** Part of a proposed call; the name comes with the first part. */
  | { readonly type: 'tool-call'; readonly id: string; readonly name?: string; readonly arguments: string }
  /** What was streamed so far is void: the call failed and is made again. */
  | { readonly type: 'restart'; readonly why: string };

/** A request to a model. */
export interface ModelRequest {
  readonly session: string;
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolSpec[];
  readonly toolChoice: ToolChoice;
  readonly output?: JsonSchema;
  readonly sampling: Sampling;
}

/** Sampling parameters of a model call. */
export interface Sampling {
  readonly maxOutputTokens?: number;
  /** Not sent unless you set it, because some models refuse it. */
  readonly temperature?: number;
  /** Only the likeliest tokens that together have this probability are drawn from: above 0, at most 1. Not sent where it is absent. */
  readonly topP?: number;
  /** How much a model reasons before it answers, in the provider's terms, such as `low` or `high`. */
  readonly reasoningEffort?: string;
  readonly seed?: number;
  readonly stop?: readonly string[];
  /** Log-probabilities of the output tokens, each with this many alternatives. */
  readonly logProbs?: number;
  /** Settings of the provider, passed on unchanged. */
  readonly vendor?: Readonly<Record<string, unknown>>;
}

/** Whether the model may, must or must not call tools. */
export type ToolChoice = 'auto' | 'none' | 'required' | { readonly tool: string };

/**
 * `cache` marks the end of a prefix that a provider with marked caching should keep. `parts` is there where the message
 * holds more than text: then they are what is sent, and `content` only names what is not text.
 */
export type Message = MessageBody & { readonly cache?: true; readonly parts?: readonly MessagePart[] };

type MessageBody =
  | { readonly role: 'system' | 'user'; readonly content: string }
  | {
      readonly role: 'assistant';
      readonly content: string;
      readonly toolCalls?: readonly ToolCall[];
      /** What the provider wants to see again of its own reasoning. */
      readonly reasoning?: Reasoning;
    }
  | { readonly role: 'tool'; readonly content: string; readonly toolCallId: string; readonly name?: string };

/** Reasoning content is passed through, never read: `opaque` holds what a vendor needs back, such as a signature. */
export interface Reasoning {
  readonly text: string;
  readonly opaque?: unknown;
}

/** A tool as a model sees it. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly input: JsonSchema;
}

/** A call that the model proposes. `arguments` is its raw text, not yet parsed or checked. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** Why a model stopped writing. */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error';

/** Tokens that a model call used. */
export interface TokenUsage {
  /** All prompt tokens, including cached ones. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** The reply of a model. */
export interface ModelReply {
  readonly text: string;
  readonly toolCalls: readonly ToolCall[];
  readonly finish: FinishReason;
  readonly usage: TokenUsage;
  readonly reasoning?: string;
  /** Goes back to the provider with the next turn. */
  readonly opaqueReasoning?: unknown;
  readonly logProbs?: readonly TokenLogProb[];
  /** `provider/model` that answered, where it is not the one that was asked. */
  readonly model?: string;
  /** What failed attempts before this reply may have cost. */
  readonly wasted?: TokenUsage;
}

export interface TokenLogProb {
  readonly token: string;
  readonly logProb: number;
  readonly alternatives?: readonly { readonly token: string; readonly logProb: number }[];
}

/** A reply proposes calls when its list holds one: an empty list, or none, is a reply in words. */
export function hasToolCalls(reply: { readonly toolCalls?: readonly ToolCall[] | null }): boolean {
  return reply.toolCalls !== undefined && reply.toolCalls !== null && reply.toolCalls.length > 0;
}
