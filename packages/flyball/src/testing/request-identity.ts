import { hash } from 'node:crypto';
import type { Message, ModelReply, ModelRequest } from '../core/model.js';

/** The content of a request: the fields of the port and nothing that an adapter or caller added. */
export function contentOf(request: ModelRequest): ModelRequest {
  const { session, model, messages, tools, toolChoice, output, sampling } = request;
  return { session, model, messages, tools, toolChoice, ...(output === undefined ? {} : { output }), sampling };
}

/** The content of a reply. A vendor's raw response can carry headers and keys, so it is not kept. */
export function replyContentOf(reply: ModelReply): ModelReply {
  const { text, toolCalls, finish, usage, reasoning } = reply;
  return { text, toolCalls, finish, usage, ...(reasoning === undefined ? {} : { reasoning }) };
}

/** The same for requests that ask the same, whatever ids a vendor made up for its tool calls. */
export function requestKey(request: ModelRequest): string {
  const { messages, ...rest } = contentOf(request);
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const known = names.get(id) ?? `call-${names.size + 1}`;
    names.set(id, known);
    return known;
  };
  const stable = { ...rest, messages: messages.map((message) => withStableIds(message, nameOf)) };
  return hash('sha256', canonical(stable), 'base64url').slice(0, 22);
}

function withStableIds(message: Message, nameOf: (id: string) => string): Message {
  if (message.role === 'tool') return { ...message, toolCallId: nameOf(message.toolCallId) };
  if (message.role !== 'assistant' || message.toolCalls === undefined) return message;
  return { ...message, toolCalls: message.toolCalls.map((call) => ({ ...call, id: nameOf(call.id) })) };
}

/** JSON with sorted names: equal content gives equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
