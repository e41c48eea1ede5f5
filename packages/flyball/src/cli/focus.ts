import type { Engine } from '../ports/engine.js';

const ALL = 1_000_000;

/**
 * An engine whose worker sees one run only. A command works on the run it was asked about: other runs that are due may
 * belong to other code, which this process has not loaded.
 */
export function focusOn(engine: Engine, runId: string): Engine {
  return {
    ...engine,
    announce: async () => undefined, // whoever looks after one run must not have others left to it
    due: async (query) => (await engine.due({ ...query, limit: ALL })).filter((id) => id === runId),
    nextDue: async (after = 0) => {
      const wakeAt = (await engine.get(runId))?.wakeAt;
      return wakeAt !== undefined && wakeAt > after ? wakeAt : undefined;
    },
  };
}
