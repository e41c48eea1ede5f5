import type { Engine } from '../../ports/engine.js';

const ALL = 1_000_000;

/**
 * An engine whose worker sees only the runs that were started over it: others in the database may belong to other
 * code, which this process has not loaded.
 */
export function ownRuns(engine: Engine): Engine {
  const own = new Set<string>();
  return {
    kind: engine.kind,
    create: (run) => {
      own.add(run.id);
      return engine.create(run);
    },
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
    announce: async () => undefined, // runs of others must not be left to somebody who only looks after their own
    workers: (now) => engine.workers(now),
    due: async (query) => {
      if (own.size === 0) return [];
      return (await engine.due({ ...query, limit: ALL })).filter((id) => own.has(id)).slice(0, query.limit);
    },
    nextDue: (after) => (own.size === 0 ? Promise.resolve(undefined) : engine.nextDue(after)),
    watch: (listener) => engine.watch(listener),
    close: () => engine.close(),
  };
}
