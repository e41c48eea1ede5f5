import type { ModelReply, ModelRequest, TokenUsage } from './model.js';
import { bytesAtMost } from './token-count.js';

/** A reply of a provider that may not have said what it took. */
export type ReplyWithoutBill = Omit<ModelReply, 'usage'> & { readonly usage?: TokenUsage };

/** The reply with its usage: as reported, or the most that it can have been where the provider does not say. */
export function billed(
  reply: ReplyWithoutBill,
  request: ModelRequest,
  countTokens: (request: ModelRequest) => number,
): ModelReply {
  if (hasBill(reply)) return reply;
  const { text, reasoning = '', toolCalls } = reply;
  const output = bytesAtMost(text) + bytesAtMost(reasoning) + bytesAtMost(JSON.stringify(toolCalls));
  return { ...reply, usage: { input: countTokens(request), output } };
}

function hasBill(reply: ReplyWithoutBill): reply is ModelReply {
  return reply.usage !== undefined;
}
