import type { Message } from './model.js';

/**
 * Ids for calls that a vendor gives none. Numbered on from what the conversation holds, so that the same conversation
 * always gets the same ids, and no two of its calls share one.
 */
export function callIds(asked: readonly Message[]): () => string {
  let taken: Set<string> | undefined;
  let next = 0;
  return () => {
    taken ??= new Set(
      asked.flatMap((message) => (message.role === 'assistant' ? (message.toolCalls ?? []) : [])).map(({ id }) => id),
    );
    if (next === 0) next = taken.size;
    do next += 1;
    while (taken.has(`call_${next}`));
    return `call_${next}`;
  };
}
