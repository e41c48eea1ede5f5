import type { SpokenMessage } from '../world/message.js';
import { isCall } from './message-shape.js';

/** What a simulated user says when it is satisfied, when it is handed over, and when its script does not go on. */
export const USER_STOPS: readonly string[] = ['###STOP###', '###TRANSFER###', '###OUT-OF-SCOPE###'];

/** A stop counts only in words: a message that calls a tool goes on, whatever it says beside it. */
export function userStops(message: SpokenMessage): boolean {
  return !isCall(message) && USER_STOPS.some((token) => message.content?.includes(token) === true);
}
