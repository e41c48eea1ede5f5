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
 * 4. A file is not believed, because others may write where it lies. It has to be at the place of its run and its tenant,
 *    and what the log has the digest of. One that the log does not know is put back only where somebody vouches for it.
 * 5. Nothing that is put back leads to another tenant: a fork only beside its parent, which is a run of the same tenant.
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
  /** The operations log says that this file was written. Otherwise anybody may have written it. */
  readonly isLogged: boolean;
}

/** Reads and checks the archive of a run. `tenant` is for a database that knows nothing of it. */
export async function archivedRun(
  engine: Pick<Engine, 'operations'> | undefined,
  store: ArchiveStore,
  of: { readonly id: string; readonly tenant?: string },
): Promise<Archived> {
  const { id } = of;
  // what was put back is in the log too, with a digest that may have come from the file
  const logged = (await engine?.operations(id))?.findLast(({ action }) => action === 'archive');
  const tenant = of.tenant ?? logged?.tombstone?.tenant ?? 'default';
  const key = keyOf({ id, tenant });
  const isElsewhere = logged?.archive !== undefined && logged.archive.key !== key;
  const bytes = isElsewhere ? undefined : await store.get(key);
  if (bytes === undefined)
    throw new FlyballError(
      'RUN_NOT_FOUND',
      `${store.place} has no archive of run ${id} of tenant ${tenant} (${key}). Check the place and the tenant.`,
      { detail: { runId: id, key, archive: store.place } },
    );
  const { run, sha256 } = readArchive(key, bytes, { logged: logged?.archive?.sha256 });
  if (run.record.id !== id || run.record.tenant !== tenant)
    throw damaged(key, `it holds run ${run.record.id} of tenant ${run.record.tenant}`);
  return { key, sha256, run, isLogged: logged?.archive !== undefined };
}

/**
 * Puts a run back. `trustFile`: also from a file that the operations log does not know, as in another database or after
 * the log was lost. Whoever could write that file then decides what the run says, within its tenant.
 */
export async function restoreRun(
  parts: { readonly engine: Engine; readonly store: ArchiveStore; readonly clock: Pick<Clock, 'now'> },
  of: { readonly id: string; readonly tenant?: string; readonly by: string; readonly trustFile?: boolean },
): Promise<Archived> {
  const { engine, store, clock } = parts;
  const archived = await archivedRun(engine, store, of);
  const { key, sha256, isLogged } = archived;
  if (!isLogged && of.trustFile !== true)
    throw new ConfigError(
      `The operations log of this database does not say that run ${of.id} was archived, so nothing shows that ${key} is genuine: the digest in the file has no key. If you trust everybody who can write to ${store.place}, run the command again with --trust-file.`,
    );
  await refuseStranger(engine, key, archived.run.record);
  const operation: Operation = {
    at: clock.now(),
    by: of.by,
    action: 'restore',
    of: of.id,
    ...(isLogged ? {} : { why: 'the file was trusted: the operations log had no archive of this run' }),
    archive: { key, sha256 },
  };
  await engine.restore(archived.run, operation).catch(async (error: unknown) => {
    throw error instanceof FlyballError && error.code === 'RUN_EXISTS' ? await idTaken(engine, of.id, error) : error;
  });
  return archived;
}

/** An engine knows only that the id is taken. */
async function idTaken(engine: Engine, id: string, cause: FlyballError): Promise<FlyballError> {
  const why =
    (await engine.get(id)) === undefined
      ? 'was pruned or erased in this database, which is for good. It cannot be restored here'
      : 'is in the database already';
  return new FlyballError('RUN_EXISTS', `Run ${id} ${why}. Nothing was changed.`, {
    detail: { runId: id, next: 'To read the archived run, use: flyball archive show' },
    cause,
  });
}

/** A fork is put back beside the entry that it was forked from. The engine looks for its parent again as it writes. */
async function refuseStranger(engine: Engine, key: string, { id, tenant, fork }: RunRecord): Promise<void> {
  if (fork === undefined) return;
  const { run, generation, seq } = fork;
  const parent = await engine.get(run);
  if (parent === undefined) throw new ConfigError(`Run ${id} was forked from ${run}. Restore that run first.`);
  if (parent.tenant !== tenant) throw damaged(key, `it says that it was forked from ${run}, a run of another tenant`);
  if ((await engine.read(run, { generation, from: seq, to: seq })).length === 0)
    throw damaged(key, `it says that it was forked from an entry that run ${run} does not have`);
}

/** Names can hold anything; a key is printable, has no dots at the ends of its parts, and fits into a file name. */
export function keyOf({ tenant, id }: Pick<RunRecord, 'tenant' | 'id'>): string {
  return `${part(tenant)}/${part(id)}.jsonl.gz`;
}

/** The run that a key is of; undefined for a key that no run has. */
export function runAt(key: string): Pick<RunRecord, 'tenant' | 'id'> | undefined {
  const [, tenant = '', id = ''] = /^([^/]+)\/([^/]+)\.jsonl\.gz$/.exec(key) ?? [];
  try {
    const run = { tenant: decodeURIComponent(tenant), id: decodeURIComponent(id) };
    return keyOf(run) === key ? run : undefined;
  } catch {
    return undefined; // not what encoding a name makes
  }
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
