import { strip } from '../tau2/python/text.js';
import type { SimMessage, SpokenMessage, ToolMessage } from '../world/message.js';
import type { Incoming } from './party.js';

/** Questions that the turn protocol asks of a message. */

/** What came in is the results of calls, not somebody's words. */
export const isResults = (incoming: Incoming): incoming is readonly ToolMessage[] => Array.isArray(incoming);

export const hasWords = (message: SpokenMessage): boolean => message.content !== null && strip(message.content) !== '';

/** Goes to the environment. */
export const isCall = (message: SpokenMessage): boolean => message.calls.length > 0 || message.emptyCallList === true;

/** What the agent may know of a history: the user's words, what it said and called itself, its own results. */
export function visibleToAgent(message: SimMessage): boolean {
  if (message.role === 'tool') return message.requestor === 'assistant';
  return message.role === 'assistant' || !isCall(message);
}

/** What the user may know: the agent's words, what it said and called itself, its own results. */
export function visibleToUser(message: SimMessage): boolean {
  if (message.role === 'tool') return message.requestor === 'user';
  return message.role === 'user' || !isCall(message);
}
