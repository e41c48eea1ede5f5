/** `[a, b]`: a task that speaks of `a` comes before one that speaks of `b`. Parts of words, in any case. */
export type PrecedenceRule = readonly [before: string, after: string];

export interface OrderedTasks {
  readonly ordered: readonly string[];
  /** Tasks whose rules contradict each other, and those that wait for them: kept, in the order given. */
  readonly cyclic: readonly string[];
}

/**
 * Topological order by keywords (Kahn), stable: of the tasks that may come next, the one that was named first does. The
 * listing in the paper's appendix queues a task anew each time that some other one is taken while it has no predecessor
 * left, so that unrelated tasks are done twice, and drops tasks on a cycle. Here each task is taken once, and those on a
 * cycle go last as they were given: a request that the rules cannot order is still a request.
 */
export function orderTasks(tasks: readonly string[], rules: readonly PrecedenceRule[]): OrderedTasks {
  const waitsFor = predecessors(tasks, rules);
  const taken = new Set<number>();
  const isFree = (at: number): boolean =>
    !taken.has(at) && [...(waitsFor[at] ?? [])].every((other) => taken.has(other));
  const indices = tasks.map((_task, at) => at);
  for (let next = indices.find(isFree); next !== undefined; next = indices.find(isFree)) taken.add(next);
  const cyclic = indices.filter((at) => !taken.has(at));
  const named = (at: number): string => tasks[at] ?? '';
  return { ordered: [...taken, ...cyclic].map(named), cyclic: cyclic.map(named) };
}

function predecessors(tasks: readonly string[], rules: readonly PrecedenceRule[]): readonly ReadonlySet<number>[] {
  const words = tasks.map((task) => task.toLowerCase());
  const precedes = (a: string, b: string): boolean =>
    rules.some(([before, after]) => a.includes(before.toLowerCase()) && b.includes(after.toLowerCase()));
  return words.map((task, at) => {
    const before = words.flatMap((other, from) => (from !== at && precedes(other, task) ? [from] : []));
    return new Set(before);
  });
}
