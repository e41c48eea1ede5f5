import type { Engine } from 'flyball';

/**
 * An engine whose worker sees only the runs that were started over it: others in the database may belong to other
 * code, which this process has not loaded.
 */
export function ownRuns(engine: Engine): Engine {
  const own = new Set<string>();
  return {
    ...engine,
    create: (run) => {
      own.add(run.id);
      return engine.create(run);
    },
    announce: async () => undefined, // runs of others must not be left to somebody who only looks after their own
    due: async (query) => (own.size === 0 ? [] : engine.due({ ...query, only: [...own] })),
    take: async (query, by) => (own.size === 0 ? [] : engine.take({ ...query, only: [...own] }, by)),
    nextDue: async (now) => (own.size === 0 ? undefined : engine.nextDue(now)),
  };
}
