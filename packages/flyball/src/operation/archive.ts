import { ConfigError, FlyballError } from '../core/errors.js';
import type { Operation } from '../core/operations.js';
import type { ArchiveStore } from '../ports/archive.js';
import type { Clock } from '../ports/clock.js';
import type { Engine, RunRecord, WholeRun } from '../ports/engine.js';
import { damaged, readArchive, writeArchive } from './archive-file.js';
import { type Removal, type RemovalParts, type Remover, removeRuns } from './removal.js';
import { wholeRun } from './whole-run.js';

/**
 * Takes runs that have ended out of a database into an archive, and puts them back.
 *
 * 1. A run is removed only after its file was read back and found to hold what was written.
 * 2. The operations log keeps where each one went and the digest of its file: what is put back is what was taken out.
 * 3. The id of an archived run stays taken. Putting a run back twice is refused by the engine, in the same transaction.
 */
export async function archiveRuns(
  parts: RemovalParts,
  store: ArchiveStore,
  runs: { readonly records: readonly RunRecord[] } & Omit<Remover, 'action' | 'keep'>,
): Promise<Removal> {
  const { records, ...remover } = runs;
  const keep = (record: RunRecord) => put(parts.engine, store, record);
  return removeRuns(parts, records, { ...remover, action: 'archive', keep });
}

async function put(engine: Engine, store: ArchiveStore, record: RunRecord): Promise<NonNullable<Operation['archive']>> {
  const key = keyOf(record);
  const { bytes, sha256 } = writeArchive(await wholeRun(engine, record));
  const there = await store.get(key);
  if (there !== undefined && readArchive(key, there).sha256 !== sha256)
    throw new FlyballError(
      'RUN_EXISTS',
      `${store.place} already has another archive of a run ${record.id} (${key}). Nothing was overwritten. Move that file, or use another place.`,
      { detail: { runId: record.id, key } },
    );
  if (there === undefined) await store.put(key, bytes);
  const written = await store.get(key);
  if (written === undefined || readArchive(key, written).sha256 !== sha256)
    throw damaged(key, `${store.place} does not return what was written to it. The run was kept`);
  return { key, sha256 };
}

export interface Archived {
  readonly key: string;
  readonly sha256: string;
  readonly run: WholeRun;
}

/** Reads and checks the archive of a run. `tenant` is for a database that knows nothing of it. */
export async function archivedRun(
  engine: Pick<Engine, 'operations'> | undefined,
  store: ArchiveStore,
  of: { readonly id: string; readonly tenant?: string },
): Promise<Archived> {
  const { id, tenant = 'default' } = of;
  const logged = (await engine?.operations(id))?.findLast(({ archive }) => archive !== undefined)?.archive;
  const key = logged?.key ?? keyOf({ id, tenant });
  const bytes = await store.get(key);
  if (bytes === undefined)
    throw new FlyballError('RUN_NOT_FOUND', `${store.place} has no archive of run ${id} (${key}). Check the place.`, {
      detail: { runId: id, key },
    });
  const { run, sha256 } = readArchive(key, bytes);
  if (run.record.id !== id) throw damaged(key, `it holds run ${run.record.id}`);
  if (logged !== undefined && logged.sha256 !== sha256)
    throw damaged(key, 'it is not the file that the operations log has the digest of');
  return { key, sha256, run };
}

export async function restoreRun(
  parts: { readonly engine: Engine; readonly store: ArchiveStore; readonly clock: Pick<Clock, 'now'> },
  of: { readonly id: string; readonly tenant?: string; readonly by: string },
): Promise<Archived> {
  const { engine, store, clock } = parts;
  const archived = await archivedRun(engine, store, of);
  const { record } = archived.run;
  if (record.fork !== undefined && (await engine.get(record.fork.run)) === undefined)
    throw new ConfigError(`Run ${of.id} was forked from ${record.fork.run}. Restore that run first.`);
  const { key, sha256 } = archived;
  await engine.restore(archived.run, {
    at: clock.now(),
    by: of.by,
    action: 'restore',
    of: of.id,
    archive: { key, sha256 },
  });
  return archived;
}

/** Names can hold anything; a key is printable, has no dots at the ends of its parts, and fits into a file name. */
export function keyOf({ tenant, id }: Pick<RunRecord, 'tenant' | 'id'>): string {
  return `${part(tenant)}/${part(id)}.jsonl.gz`;
}

const LONGEST = 200;

function part(name: string): string {
  const encoded = encodeURIComponent(name).replaceAll(
    /[.!~*'()]/g,
    (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  if (encoded.length > LONGEST)
    throw new FlyballError(
      'INPUT_INVALID',
      `The name ${name.slice(0, 60)}… is too long for an archive. The run was kept.`,
    );
  return encoded;
}
