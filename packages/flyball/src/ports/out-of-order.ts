interface Place {
  readonly generation: number;
  readonly seq: number;
}

/** The first entry of a batch that does not follow the one before it. */
export function outOfOrder<E extends Place>(entries: readonly E[]): E | undefined {
  return entries.find((entry, index) => {
    const before = entries[index - 1];
    if (before === undefined) return false;
    return entry.generation === before.generation
      ? entry.seq !== before.seq + 1
      : entry.generation < before.generation || entry.seq !== 0;
  });
}
