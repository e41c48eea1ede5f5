import { notEnded, refuseChanged, runExists, runKept, runNotFound } from '../../core/engine-errors.js';
import type { OperationAction, StoredOperation } from '../../core/operations.js';
import type { Collected, Engine, NewRun, RunCounts, RunStatus, StorageSize } from '../../ports/engine.js';
import { store, type TenantContents } from './contents.js';
import { addEntry, type MemoryRun, memoryRun } from './memory-run.js';
import { type MemoryState, TERMINAL } from './memory-state.js';

type Retention = Pick<
  Engine,
  'hold' | 'remove' | 'restore' | 'collect' | 'weigh' | 'size' | 'declareGone' | 'goneOwners' | 'operations'
>;

/** What goes, what stays, how much there is, and what operators did about it. */
export function retentionIn(state: MemoryState): Retention {
  const { runs, inOrder, operations, contents, line } = state;
  return {
    async hold(runId, { hold, by, why, at }) {
      const run = state.known(runId);
      if ((run.hold !== undefined) === hold) return;
      const reason = why === undefined ? {} : { why };
      run.hold = hold ? { by, at, ...reason } : undefined;
      state.record({ at, by, action: hold ? 'hold' : 'release', of: runId, ...reason });
    },
    async remove(runId, operation) {
      const run = state.known(runId);
      refuseKept(run, runs.values());
      refuseChanged(run, operation.tombstone);
      line.leave(run);
      runs.delete(runId);
      inOrder[run.order] = undefined;
      state.record(operation);
    },
    async restore(whole, operation) {
      const { record, entries } = whole;
      if (!TERMINAL.has(record.status)) throw notEnded(record);
      if (runs.has(record.id) || isRemoved(operations, record.id, ['prune', 'erase'])) throw runExists(record.id);
      refuseOrphan(runs, record);
      const run = memoryRun({ ...record, first: { entries: [] } }, inOrder.length);
      const { status, generation, updatedAt, activeMs, code } = record;
      Object.assign(run, { status, generation, updatedAt, activeMs, code });
      for (const entry of entries) addEntry(run, entry);
      store(contents.of(record.tenant), whole);
      runs.set(record.id, run);
      inOrder.push(run);
      state.record(operation);
    },
    collect: async (referencesIn) => sweep([...runs.values()], contents, referencesIn),
    weigh: async (runIds, referencesIn) =>
      weights(
        runIds.map((id) => [id, runs.get(id)]),
        contents,
        referencesIn,
      ),
    size: async () => sizeOf(state),
    async declareGone(operation) {
      const held = [...runs.values()].filter(({ owner }) => owner?.id === operation.of);
      const at = operation.at;
      for (const run of held)
        state.change(run, { leaseUntil: Math.min(run.leaseUntil ?? at, at), fence: run.fence + 1 });
      state.goneOwners.add(operation.of);
      state.record(operation);
      state.notify();
      return held.map(({ id }) => id);
    },
    goneOwners: async () => [...state.goneOwners],
    operations: async (of) => operations.filter((each) => of === undefined || each.of === of),
  };
}

function sizeOf({ runs, contents }: MemoryState): StorageSize {
  const stored = contents.all().flatMap(([, { blobs }]) => [...blobs.values()]);
  const bytes = stored.reduce((sum, content) => sum + content.length, 0);
  return { bytes: [...runs.values()].reduce((sum, run) => sum + bytesOf(run), bytes), logBytes: 0, freeBytes: 0 };
}

function refuseKept(run: MemoryRun, all: Iterable<MemoryRun>): void {
  const { id, status, hold, tenant } = run;
  if (hold !== undefined) throw runKept(id, 'held', `${hold.by} has put it under a legal hold`);
  if (!TERMINAL.has(status) && status !== 'bounded' && status !== 'stalled')
    throw runKept(id, 'open', `it is ${status}. Cancel it first`);
  for (const other of all)
    if (other.fork?.run === id && other.tenant === tenant) throw runKept(id, 'forked', `its fork ${other.id} needs it`);
}

/** A fork reads what is in the journal of its parent: it is refused where its tenant has no such run. */
export function refuseOrphan(runs: ReadonlyMap<string, MemoryRun>, { fork, tenant }: Pick<NewRun, 'fork' | 'tenant'>) {
  if (fork !== undefined && runs.get(fork.run)?.tenant !== tenant) throw runNotFound(fork.run);
}

export function isRemoved(
  operations: readonly StoredOperation[],
  runId: string,
  by: readonly OperationAction[] = ['prune', 'erase', 'archive'],
): boolean {
  return operations.some(({ of, action }) => of === runId && by.includes(action));
}

export function countsOf(runs: readonly MemoryRun[]): RunCounts {
  const byStatus: Partial<Record<RunStatus, number>> = {};
  for (const { status } of runs) if (!TERMINAL.has(status)) byStatus[status] = (byStatus[status] ?? 0) + 1;
  const asked = runs.flatMap((run) => [...run.waits.values()].filter((wait) => wait.asked));
  return {
    byStatus,
    asked: asked.length,
    held: runs.filter(({ hold }) => hold !== undefined).length,
    ...(asked.length === 0 ? {} : { oldestAsked: Math.min(...asked.map(({ since }) => since)) }),
  };
}

function bytesOf(run: MemoryRun | undefined): number {
  return [...(run?.journals.values() ?? [])].flat().reduce((sum, { body }) => sum + body.length, 0);
}

/** From the last run to the first: each content counts for the last one that refers to it. */
function weights(
  runs: readonly (readonly [id: string, run: MemoryRun | undefined])[],
  contents: TenantContents,
  referencesIn: (body: string) => Iterable<string>,
): ReadonlyMap<string, number> {
  const seen = new Set<string>();
  const weightOf = (tenant: string, hash: string): number => {
    const { blobs, links } = contents.of(tenant);
    if (seen.has(JSON.stringify([tenant, hash]))) return 0;
    seen.add(JSON.stringify([tenant, hash]));
    const link = links.get(hash);
    const below = link === undefined ? [] : [link.parent ?? '', link.blob ?? ''];
    const own = blobs.get(hash)?.length ?? 0;
    const inline = (link?.header.length ?? 0) + (link?.content?.length ?? 0);
    return below.reduce((sum, id) => sum + weightOf(tenant, id), own + inline);
  };
  const all = runs.toReversed().map(([id, run]) => {
    const bodies = [...(run?.journals.values() ?? [])].flat().map(({ body }) => body);
    const referred = bodies.flatMap((body) => [...referencesIn(body)]);
    return [id, referred.reduce((sum, hash) => sum + weightOf(run?.tenant ?? '', hash), bytesOf(run))] as const;
  });
  return new Map(all);
}

function sweep(
  runs: readonly MemoryRun[],
  contents: TenantContents,
  referencesIn: (body: string) => Iterable<string>,
): Collected {
  const swept = contents.all().map(([tenant, { blobs, links }]) => {
    const marked = new Set<string>();
    for (const { journals } of runs.filter((run) => run.tenant === tenant))
      for (const { body } of [...journals.values()].flat()) for (const id of referencesIn(body)) marked.add(id);
    const kept = new Set<string>();
    for (const id of marked)
      for (let link = links.get(id); link !== undefined && !kept.has(link.id); ) {
        kept.add(link.id);
        if (link.blob !== undefined) marked.add(link.blob);
        link = link.parent === undefined ? undefined : links.get(link.parent);
      }
    const goneLinks = [...links.keys()].filter((id) => !kept.has(id));
    const goneContents = [...blobs.keys()].filter((hash) => !marked.has(hash));
    for (const id of goneLinks) links.delete(id);
    for (const hash of goneContents) blobs.delete(hash);
    return { contents: goneContents.length, links: goneLinks.length };
  });
  const sum = (of: (each: Collected) => number): number => swept.reduce((total, each) => total + of(each), 0);
  return { contents: sum((each) => each.contents), links: sum((each) => each.links) };
}
