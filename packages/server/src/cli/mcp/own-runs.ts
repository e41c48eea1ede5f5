import type { Engine } from 'flyball';

const ALL = 1_000_000;

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
    due: async (query) => {
      if (own.size === 0) return [];
      return (await engine.due({ ...query, limit: ALL })).filter((id) => own.has(id)).slice(0, query.limit);
    },
    nextDue: (after) => (own.size === 0 ? Promise.resolve(undefined) : engine.nextDue(after)),
  };
}
