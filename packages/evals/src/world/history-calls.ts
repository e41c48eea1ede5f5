import { PyError } from '../tau2/python/value.js';
import type { SimCall, SimMessage, ToolMessage } from './message.js';

/** Every call of a trajectory with its recorded answer: results follow their calls directly, in order, by id. */
export function answeredCalls(messages: readonly SimMessage[]): (readonly [call: SimCall, result: ToolMessage])[] {
  const pairs: (readonly [SimCall, ToolMessage])[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) break;
    if (message.role === 'tool') throw broken(`message ${at} is the result of no call`);
    for (const call of message.calls) {
      at += 1;
      pairs.push([call, resultOf(call, messages[at], at)]);
    }
  }
  return pairs;
}

function resultOf(call: SimCall, message: SimMessage | undefined, at: number): ToolMessage {
  if (message === undefined) throw broken(`the result of call ${call.id} is missing at the end`);
  if (message.role !== 'tool') throw broken(`message ${at} is where the result of call ${call.id} belongs`);
  if (message.id !== call.id) throw broken(`message ${at} is the result of ${message.id}, not of call ${call.id}`);
  return message;
}

function broken(what: string): PyError {
  return new PyError('ValueError', `The messages cannot be replayed: ${what}.`);
}
