import { FlyballError } from 'flyball';
import type { SimMessage, SpokenMessage } from '../world/message.js';
import { hasWords, isCall } from './message-shape.js';

/** A message that says nothing and calls nothing ends the simulation with an error, as in the reference. */
export function checkSpoken(message: SpokenMessage): void {
  if (hasWords(message) || isCall(message)) return;
  throw new FlyballError('REPLY_INVALID', `A message of the ${message.role} has neither words nor calls.`, {
    retryable: true,
    detail: { role: message.role },
  });
}

/** Calls are answered one for one and by their own side before anybody speaks again. */
export function checkHistory(history: readonly SimMessage[]): void {
  let open = 0;
  let caller: SpokenMessage['role'] | undefined;
  for (const message of history) {
    if (message.role !== 'tool') {
      checkSpoken(message);
      if (!isCall(message)) {
        caller = undefined; // the reference does not count unanswered calls before words: its environment does
        continue;
      }
      if (open > 0) throw broken(`${open} results are missing before the next call of the ${message.role}`);
      open = message.calls.length;
      caller = message.role;
    } else {
      if (open === 0 || caller === undefined) throw broken('a result answers no call');
      if (message.requestor !== caller) {
        throw broken(`a result for the ${message.requestor} answers a call of the ${caller}`);
      }
      open--;
    }
  }
}

/** A second apart and all before now: the end of a simulation is sorted by time, and a history has none of its own. */
export function datedHistory(history: readonly SimMessage[], now: number): readonly SimMessage[] {
  return history.map((message, index) => ({ ...message, at: now - (history.length - index) * 1000 }));
}

function broken(what: string): FlyballError {
  return new FlyballError('INPUT_INVALID', `The task's message history is broken: ${what}. Correct the task's data.`);
}
