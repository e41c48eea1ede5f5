import type { SimMessage } from '../world/message.js';

const START = '';
/** The action of a message without calls. */
export const SAY = 'say';

/** What the agent chose, in order. Its fixed greeting is no choice. */
export function actionsOf(messages: readonly SimMessage[]): readonly string[] {
  return messages.flatMap((message, index) => {
    if (message.role !== 'assistant' || (index === 0 && message.calls.length === 0)) return [];
    return message.calls.length === 0 ? [SAY] : message.calls.map(({ name }) => name);
  });
}

/**
 * How uncertain the next action is, in bits, for somebody who knows the one before it: the conditional entropy
 * H(next | previous) over all sequences together. It is a plug-in estimate and so too low for few conversations:
 * compare it between conditions of the same tasks, not between sizes. Null where nothing was done.
 */
export function actionEntropy(sequences: readonly (readonly string[])[]): number | null {
  const next = new Map<string, Map<string, number>>();
  let total = 0;
  for (const sequence of sequences) {
    let before = START;
    for (const action of sequence) {
      const counts = next.get(before) ?? new Map<string, number>();
      counts.set(action, (counts.get(action) ?? 0) + 1);
      next.set(before, counts);
      before = action;
      total += 1;
    }
  }
  if (total === 0) return null;
  let bits = 0;
  for (const counts of next.values()) {
    const from = [...counts.values()].reduce((sum, count) => sum + count, 0);
    for (const count of counts.values()) bits -= (count / total) * Math.log2(count / from);
  }
  return bits === 0 ? 0 : bits; // no −0
}
