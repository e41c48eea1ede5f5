import type { Batch, Claim, Engine } from '../ports/engine.js';
import { entryTypes, mortalReads } from './crash-points.js';
import { type Mortal, mortal } from './mortal.js';

/** The appends made in one turn, which an engine commits together. */
export interface AppendGroup {
  /** Number of the group in this process, from 1. */
  readonly n: number;
  readonly appends: readonly { readonly runId: string; readonly entries: readonly string[] }[];
}

/** An engine that crashes at chosen groups of writes. */
export interface BatchCrashingEngine extends Mortal<AppendGroup> {
  readonly engine: Engine;
  readonly groups: readonly AppendGroup[];
}

interface Waiting {
  readonly claim: Claim;
  readonly batch: Batch;
  readonly settle: (result: Promise<void>) => void;
}

/**
 * An engine whose process dies in the middle of a group commit: of the appends of that turn, over all runs, none is
 * durable and none returns. Earlier groups are whole. Writes other than appends go straight through.
 */
export function batchCrash(
  inner: Engine,
  plan: { readonly at: number } | ((group: AppendGroup) => boolean),
): BatchCrashingEngine {
  const life = mortal<AppendGroup>();
  const groups: AppendGroup[] = [];
  const fires = typeof plan === 'function' ? plan : (group: AppendGroup) => group.n === plan.at;
  let waiting: Waiting[] = [];

  function commit(): void {
    const group = waiting;
    waiting = [];
    if (life.isDead()) return;
    const appends = group.map(({ claim, batch }) => ({ runId: claim.runId, entries: entryTypes(batch) }));
    const about: AppendGroup = { n: groups.length + 1, appends };
    groups.push(about);
    if (fires(about)) life.die(about);
    else for (const { claim, batch, settle } of group) settle(inner.append(claim, batch)); // one turn: one commit inside too
  }

  const engine: Engine = {
    ...mortalReads(inner, life),
    append: (claim, batch) =>
      life.whileAlive(
        () =>
          new Promise<void>((settle) => {
            if (waiting.length === 0) setImmediate(commit);
            waiting.push({ claim, batch, settle });
          }),
      ),
    create: (run) => life.whileAlive(() => inner.create(run)),
    claim: (runId, by) => life.whileAlive(() => inner.claim(runId, by)),
    take: (query, by) => life.whileAlive(() => inner.take(query, by)),
    renew: (signs, by) => life.whileAlive(() => inner.renew(signs, by)),
    release: (claim, rest) => life.whileAlive(() => inner.release(claim, rest)),
    post: (runId, message) => life.whileAlive(() => inner.post(runId, message)),
    requeue: (runId) => life.whileAlive(() => inner.requeue(runId)),
  };
  return { ...life, engine, groups };
}
