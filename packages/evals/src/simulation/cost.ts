import type { Requestor, SimMessage } from '../world/message.js';

/** What one side's messages cost together: unknown as soon as one message's cost is. */
export function costOf(messages: readonly SimMessage[], role: Requestor): number | null {
  let sum = 0;
  for (const message of messages) {
    if (message.role !== role) continue;
    if (message.cost === null) return null;
    sum += message.cost;
  }
  return sum;
}
