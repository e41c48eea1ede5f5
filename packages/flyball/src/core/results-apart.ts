import type { Message } from './model.js';
import { type MessagePart, mediaIn } from './parts.js';

/**
 * Most providers take only text as the result of a tool. Images and files of results follow in a message of their own,
 * after the last of the results that stand together, since nothing may come between a call and its result.
 */
export function mediaAfterResults(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(({ role, parts }) => role === 'tool' && parts !== undefined)) return messages;
  const sent: Message[] = [];
  let open: (Message & { readonly role: 'tool' })[] = [];
  for (const [index, message] of messages.entries()) {
    sent.push(message.role === 'tool' && message.parts !== undefined ? inWords(message) : message);
    if (message.role !== 'tool') continue;
    if (message.parts !== undefined) open.push(message);
    if (messages[index + 1]?.role === 'tool' || open.length === 0) continue;
    sent.push(followingOf(open));
    open = [];
  }
  return sent;
}

/** The same objects from call to call: adapters keep what they wrote for each. */
const words = new WeakMap<Message, Message>();
const following = new WeakMap<Message, Message>();

function inWords(message: Message): Message {
  const { parts: _parts, ...rest } = message;
  const known = words.get(message) ?? rest;
  words.set(message, known);
  return known;
}

function followingOf(results: readonly (Message & { readonly role: 'tool' })[]): Message {
  const last = results.at(-1) as Message;
  const known = following.get(last);
  if (known !== undefined) return known;
  const parts = results.flatMap(({ parts: given, name = 'a tool', toolCallId }): readonly MessagePart[] => [
    { type: 'text', text: `(From the result of ${name}, call ${toolCallId}, not from the user:)` },
    ...mediaIn(given),
  ]);
  const message: Message = { role: 'user', content: '', parts };
  following.set(last, message);
  return message;
}
