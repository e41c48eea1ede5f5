import type { MediaTokenRule } from '../core/media-tokens.js';
import type { Message, ModelReply } from '../core/model.js';
import { partTokens } from '../core/token-count.js';

/**
 * The kit's stand-in for a tokenizer: tokens = ceil(UTF-8 bytes / 4). Not what any vendor counts, but the same on every
 * machine, so that a test can say how many tokens a budget allows.
 */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 4);
}

/**
 * Over the contents of all messages and the JSON of the tool calls in them, rounded up once. What is not text counts by
 * the formula of the model.
 */
export function estimateInput(messages: readonly Message[], rule?: MediaTokenRule): number {
  let bytes = 0;
  let tokens = 0;
  for (const message of messages) {
    if (message.parts === undefined) bytes += Buffer.byteLength(message.content);
    else tokens += partTokens(message.parts, estimateTokens, rule);
    if (message.role === 'assistant') bytes += toolCallBytes(message.toolCalls ?? []);
  }
  return tokens + Math.ceil(bytes / 4);
}

export function estimateOutput(reply: Pick<ModelReply, 'text' | 'toolCalls' | 'reasoning'>): number {
  const bytes =
    Buffer.byteLength(reply.text) + Buffer.byteLength(reply.reasoning ?? '') + toolCallBytes(reply.toolCalls);
  return Math.ceil(bytes / 4);
}

function toolCallBytes(toolCalls: ModelReply['toolCalls']): number {
  return toolCalls.length === 0 ? 0 : Buffer.byteLength(JSON.stringify(toolCalls));
}
