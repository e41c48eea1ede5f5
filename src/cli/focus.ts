import type { Engine } from '../ports/engine.js';

const ALL = 1_000_000;

/**
 * An engine whose worker sees one run only. A command works on the run it was asked about: other runs that are due may
 * belong to other code, which this process has not loaded.
 */
export function focusOn(engine: Engine, runId: string): Engine {
  return {
    kind: engine.kind,
    create: (run) => engine.create(run),
    claim: (id, by) => engine.claim(id, by),
    append: (claim, batch) => engine.append(claim, batch),
    renew: (claims, until) => engine.renew(claims, until),
    release: (claim, rest) => engine.release(claim, rest),
    get: (id) => engine.get(id),
    list: (filter) => engine.list(filter),
    read: (id, range) => engine.read(id, range),
    blobs: (hashes) => engine.blobs(hashes),
    links: (tip) => engine.links(tip),
    post: (id, message) => engine.post(id, message),
    waits: (id) => engine.waits(id),
    inbox: (id, after) => engine.inbox(id, after),
    requeue: (id) => engine.requeue(id),
    announce: async () => undefined, // whoever looks after one run must not have others left to it
    workers: (now) => engine.workers(now),
    due: async (query) => (await engine.due({ ...query, limit: ALL })).filter((id) => id === runId),
    nextDue: async (after = 0) => {
      const wakeAt = (await engine.get(runId))?.wakeAt;
      return wakeAt !== undefined && wakeAt > after ? wakeAt : undefined;
    },
    watch: (listener) => engine.watch(listener),
    close: () => engine.close(),
  };
}
