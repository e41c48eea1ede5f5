/**
 * Several sources as one. Each is asked for its next piece only once its last one was taken, so that a slow reader still
 * holds one piece of each and no more. Ends when all have ended.
 */
export async function* together<T>(sources: readonly AsyncIterable<T>[]): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]());
  const next = new Map<number, Promise<{ readonly index: number; readonly got: IteratorResult<T> }>>();
  const ask = (index: number, iterator: AsyncIterator<T>): void => {
    next.set(
      index,
      iterator.next().then((got) => ({ index, got })),
    );
  };
  for (const [index, iterator] of iterators.entries()) ask(index, iterator);
  try {
    while (next.size > 0) {
      const { index, got } = await Promise.race(next.values());
      next.delete(index);
      if (got.done === true) continue;
      yield got.value;
      const iterator = iterators[index];
      // at the end of the queue: one that always has something must not starve the others
      if (iterator !== undefined) ask(index, iterator);
    }
  } finally {
    for (const pending of next.values()) pending.catch(() => undefined); // told to stop, and nobody waits for it
    for (const iterator of iterators) iterator.return?.().catch(() => undefined);
  }
}
