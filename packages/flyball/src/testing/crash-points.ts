import { FlyballError } from '../core/errors.js';
import type { Batch, Claim, Engine } from '../ports/engine.js';
import { type Mortal, mortal } from './mortal.js';

/** A write of an engine that can be made to crash. */
export type WriteOperation = 'create' | 'claim' | 'append' | 'renew' | 'release' | 'post' | 'requeue';

/** A named instant around a journal write at which a process can die. */
export interface CrashPoint {
  /** Number of the write in this process, from 1. */
  readonly n: number;
  readonly op: WriteOperation;
  readonly when: 'before' | 'after';
  readonly runId?: string;
  /** Types of the events written. */
  readonly entries?: readonly string[];
}

/** When an engine crashes: at a number, or where a function says so. */
export type CrashPlan = { readonly at: number; readonly when: 'before' | 'after' } | ((point: CrashPoint) => boolean);

/** An engine that crashes at chosen writes. */
export interface CrashingEngine extends Mortal<CrashPoint> {
  readonly engine: Engine;
  /** The points passed so far, in order; each is also a plan, so one uncrashed run lists all crashes worth testing. */
  readonly points: readonly CrashPoint[];
}

/**
 * An engine whose process dies at a planned point. From then on no call returns, as in a killed process: neither those
 * made later, which do not reach the inner engine, nor those under way. Then open a new runtime over the same inner
 * engine.
 *
 * Invariants:
 * 1. `before`: the write never reaches the inner engine. `after`: the inner engine holds it and its caller is not told.
 * 2. A call that rejects passes `before` only: nothing was written after which to die.
 */
export function crashingEngine(inner: Engine, plan: CrashPlan): CrashingEngine {
  const life = mortal<CrashPoint>();
  const points: CrashPoint[] = [];
  const fires = typeof plan === 'function' ? plan : ({ n, when }: CrashPoint) => n === plan.at && when === plan.when;
  let writes = 0;

  function pass(point: CrashPoint): void {
    points.push(point);
    if (fires(point)) life.die(point);
  }

  function write<T>(about: Omit<CrashPoint, 'n' | 'when'>, work: () => Promise<T>): Promise<T> {
    return life.whileAlive(() => {
      const n = ++writes;
      pass({ n, ...about, when: 'before' });
      return life.whileAlive(async () => {
        const result = await work();
        if (!life.isDead()) pass({ n, ...about, when: 'after' });
        return result;
      });
    });
  }

  const engine: Engine = {
    ...mortalReads(inner, life),
    create: (run) => write({ op: 'create', runId: run.id, entries: entryTypes(run.first) }, () => inner.create(run)),
    claim: (runId, by) => write({ op: 'claim', runId }, () => inner.claim(runId, by)),
    // as the claims that it is made of: a process may die between two of them
    take: (query, by) =>
      life.whileAlive(async () => {
        const claims: Claim[] = [];
        for (const runId of await inner.due(query)) {
          const claim = write({ op: 'claim', runId }, () => inner.claim(runId, { ...query, ...by }));
          const got = await claim.catch((error: unknown) => ofAnother(error));
          if (got !== undefined) claims.push(got);
        }
        return claims;
      }),
    append: (claim, batch) =>
      write({ op: 'append', runId: claim.runId, entries: entryTypes(batch) }, () => inner.append(claim, batch)),
    renew: (signs, by) => write({ op: 'renew' }, () => inner.renew(signs, by)),
    release: (claim, rest) => write({ op: 'release', runId: claim.runId }, () => inner.release(claim, rest)),
    post: (runId, message) => write({ op: 'post', runId }, () => inner.post(runId, message)),
    requeue: (runId) => write({ op: 'requeue', runId }, () => inner.requeue(runId)),
  };
  return { ...life, engine, points };
}

/** Somebody else was quicker, which whoever takes is not told of. */
function ofAnother(error: unknown): undefined {
  const isOthers = error instanceof FlyballError && ['JOURNAL_CONFLICT', 'ALREADY_TERMINAL'].includes(error.code);
  if (!isOthers) throw error;
}

type EngineReads = Omit<Engine, WriteOperation | 'take'>;

/** What changes nothing in the inner engine: has no crash points, but does not return from the dead either. */
export function mortalReads(inner: Engine, life: Mortal<unknown>): EngineReads {
  return {
    kind: inner.kind,
    get: (runId) => life.whileAlive(() => inner.get(runId)),
    list: (filter) => life.whileAlive(() => inner.list(filter)),
    read: (runId, range) => life.whileAlive(() => inner.read(runId, range)),
    blobs: (tenant, hashes) => life.whileAlive(() => inner.blobs(tenant, hashes)),
    links: (tenant, tip) => life.whileAlive(() => inner.links(tenant, tip)),
    waits: (runId) => life.whileAlive(() => inner.waits(runId)),
    inbox: (runId, after) => life.whileAlive(() => inner.inbox(runId, after)),
    // says nothing about any run: losing it costs nobody anything but time
    announce: (worker, by) => life.whileAlive(() => inner.announce(worker, by)),
    workers: (now) => life.whileAlive(() => inner.workers(now)),
    due: (query) => life.whileAlive(() => inner.due(query)),
    overdue: (query) => life.whileAlive(() => inner.overdue(query)),
    queue: (now) => life.whileAlive(() => inner.queue(now)),
    nextDue: (now) => life.whileAlive(() => inner.nextDue(now)),
    count: () => life.whileAlive(() => inner.count()),
    weigh: (runIds, referencesIn) => life.whileAlive(() => inner.weigh(runIds, referencesIn)),
    size: () => life.whileAlive(() => inner.size()),
    goneOwners: () => life.whileAlive(() => inner.goneOwners()),
    operations: (of) => life.whileAlive(() => inner.operations(of)),
    // done by an operator, not by a life of a run
    hold: (runId, change) => life.whileAlive(() => inner.hold(runId, change)),
    remove: (runId, operation) => life.whileAlive(() => inner.remove(runId, operation)),
    restore: (run, operation) => life.whileAlive(() => inner.restore(run, operation)),
    collect: (referencesIn) => life.whileAlive(() => inner.collect(referencesIn)),
    declareGone: (operation) => life.whileAlive(() => inner.declareGone(operation)),
    close: () => life.whileAlive(() => inner.close()),
    watch(listener) {
      if (life.isDead()) return () => {};
      const stop = inner.watch((runId) => {
        if (!life.isDead()) listener(runId);
      });
      life.onCrash(stop); // the inner engine outlives this process and must not keep its listeners
      return stop;
    },
  };
}

export function entryTypes(batch: Batch): readonly string[] {
  return batch.entries.map(({ body }) => {
    const event: unknown = JSON.parse(body);
    const type = typeof event === 'object' && event !== null ? (event as { type?: unknown }).type : undefined;
    return typeof type === 'string' ? type : 'unknown';
  });
}
