import type { Engine } from '../ports/engine.js';

/**
 * An engine whose worker sees one run only. A command works on the run it was asked about: other runs that are due may
 * belong to other code, which this process has not loaded.
 */
export function focusOn(engine: Engine, runId: string): Engine {
  return {
    ...engine,
    announce: async () => undefined, // whoever looks after one run must not have others left to it
    due: (query) => engine.due({ ...query, only: [runId] }),
    take: (query, by) => engine.take({ ...query, only: [runId] }, by),
    nextDue: async (now) => {
      const wakeAt = (await engine.get(runId))?.wakeAt;
      return wakeAt !== undefined && wakeAt > now ? wakeAt : undefined;
    },
  };
}
