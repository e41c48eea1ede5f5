import type { SimMessage } from '../world/message.js';

/** A trajectory without some of its calls and their results: what a guard refused never reached the environment. */
export function withoutCalls(messages: readonly SimMessage[], ids: readonly string[]): readonly SimMessage[] {
  if (ids.length === 0) return messages;
  const left = new Set(ids);
  return messages.flatMap((message): readonly SimMessage[] => {
    if (message.role === 'tool') return left.has(message.id) ? [] : [message];
    return [{ ...message, calls: message.calls.filter(({ id }) => !left.has(id)) }];
  });
}
