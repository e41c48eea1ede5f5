import type { ModelReply, ModelRequest } from '../../core/model.js';
import { bytesAtMost } from '../../core/token-count.js';
import type { ReplyWithoutBill } from './chat-reply.js';

/** The reply with its usage: as reported, or the most that it can have been where the provider does not say. */
export function billed(
  reply: ReplyWithoutBill,
  request: ModelRequest,
  countTokens: (request: ModelRequest) => number,
): ModelReply {
  if (reply.usage !== undefined) return { ...reply, usage: reply.usage };
  const { text, reasoning = '', toolCalls } = reply;
  const output = bytesAtMost(text) + bytesAtMost(reasoning) + bytesAtMost(JSON.stringify(toolCalls));
  return { ...reply, usage: { input: countTokens(request), output } };
}
