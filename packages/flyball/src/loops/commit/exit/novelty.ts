/** A task of the past. The vector is for similarities that compare vectors; they close over the one of the new task. */
export interface SeenTask {
  readonly text: string;
  readonly vector?: readonly number[];
}

/**
 * How unlike everything seen a task is: 1 less its likeness to the most similar one. Nothing seen, or a likeness that is
 * not a number, is novel: what cannot be told to be familiar is not.
 */
export function noveltyOf(
  text: string,
  seen: readonly SeenTask[],
  similarity: (text: string, other: SeenTask) => number,
): number {
  const closest = seen.reduce((most, other) => {
    const likeness = similarity(text, other);
    return likeness > most ? likeness : most;
  }, 0);
  return 1 - Math.min(1, closest);
}
