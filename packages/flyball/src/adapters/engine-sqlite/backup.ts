import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { ConfigError, FlyballError } from '../../core/errors.js';
import { type CheckReport, checkDatabase } from './check.js';
import type { DriverName } from './database.js';
import { openDatabase } from './driver.js';
import { makePrivate } from './open.js';
import { patiently } from './patience.js';
import { schemaVersion } from './schema.js';
import { storageError } from './storage-errors.js';

/** The result of a backup or restore. */
export interface Copied {
  readonly from: string;
  readonly to: string;
  readonly bytes: number;
  readonly report: CheckReport;
}

/** Options of a backup or restore. */
export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  readonly driver?: DriverName;
  /** Copy a file that has damage, too: what is sound in it may be all there is. */
  readonly evenDamaged?: boolean;
}

/**
 * Copies a database that may be in use into one file: a snapshot of one moment, its log included. The copy is checked
 * before it gets its name, so that whatever has the name is whole.
 */
export async function backupDatabase(options: CopyOptions): Promise<Copied> {
  const { from, to, driver } = options;
  requireThere(from);
  refusePlace(to);
  return landed(options, async (part) => {
    const database = await openDatabase(from, driver, { readOnly: true });
    try {
      schemaVersion(database, from);
      // a read transaction of its own: writers go on meanwhile
      await patiently(() => database.run('VACUUM INTO ?', part), { path: from, busyMs: BUSY_MS }).catch((error) => {
        throw ofTheCopy(error, to);
      });
    } finally {
      database.close();
    }
  });
}

/** Puts a copy in the place of a database that is not there any more. Never over one that is. */
export async function restoreDatabase(options: CopyOptions): Promise<Copied> {
  const { from, to } = options;
  requireThere(from);
  if (existsSync(`${from}-wal`) && statSync(`${from}-wal`).size > 0)
    throw new ConfigError(
      `${from} is in use or was not closed: it has a write-ahead log. Create a backup of it first (flyball backup).`,
    );
  refusePlace(to);
  return landed(options, async (part) => copyFileSync(from, part));
}

const BUSY_MS = 30_000;

/** The source is only read: what has no room, or cannot be written, is the copy. */
function ofTheCopy(error: unknown, to: string): unknown {
  const isOfCopy =
    error instanceof FlyballError && (error.code === 'STORAGE_FULL' || error.code === 'STORAGE_READ_ONLY');
  return isOfCopy ? storageError(error.cause, to) : error;
}

async function landed(options: CopyOptions, write: (part: string) => Promise<void>): Promise<Copied> {
  const { from, to, driver, evenDamaged = false } = options;
  const part = `${to}.${process.pid}.part`;
  try {
    makePrivate(part); // SQLite writes into an empty file that is there
    await write(part);
    chmodSync(part, 0o600); // a copied file has the mode of its source
    const report = await checkDatabase({ path: part, ...(driver === undefined ? {} : { driver }) });
    if (report.damage.length > 0 && !evenDamaged) throw damaged(from, part, report);
    sync(part);
    linkSync(part, to); // unlike a rename, this refuses where somebody else has made the file meanwhile
    sync(dirname(to));
    return { from, to, bytes: statSync(to).size, report: { ...report, path: to } };
  } catch (error) {
    throw storageError(error, to);
  } finally {
    for (const end of ['', '-journal', '-shm', '-wal']) rmSync(part + end, { force: true });
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function requireThere(path: string): void {
  if (!existsSync(path)) throw new ConfigError(`There is no database ${path}. Check the path.`);
}

/** What SQLite and the tail guard keep beside a database, under its name and one of these. */
const BESIDE = ['-wal', '-shm', '-journal', '.tip'] as const;

/** A copy neither replaces anything nor becomes part of another database, and no other's log is taken for its own. */
function refusePlace(to: string): void {
  const folder = dirname(to);
  if (!existsSync(folder)) throw new ConfigError(`There is no folder ${folder}. Make it first, or name another place.`);
  const end = BESIDE.find((ending) => to.endsWith(ending));
  if (end !== undefined)
    throw new ConfigError(
      `${to} is the name of a file that belongs to ${to.slice(0, -end.length)}. Choose another name.`,
    );
  for (const path of [to, ...BESIDE.map((ending) => to + ending)])
    if (existsSync(path))
      throw new ConfigError(`${path} exists, and nothing is ever overwritten. Move it away, or name another file.`);
}

/** It is found in the copy, which is gone when anybody reads this. */
function damaged(path: string, part: string, { damage, damagedRuns }: CheckReport): FlyballError {
  const [first] = damage;
  const where = first === undefined || first.what === 'file' ? '' : `${first.what} ${first.id}: `;
  const why = `${where}${first?.why ?? ''}`.replaceAll(part, path).replace(/\.$/, '');
  const places = damage.length === 1 ? 'one place' : `${damage.length} places`;
  return new FlyballError(
    'JOURNAL_CORRUPT',
    `${path} is damaged in ${places}, and was not copied. ${damage.length === 1 ? '' : 'The first: '}${why}. ` +
      'List the damage with flyball check, or copy it anyway with --even-damaged.',
    { detail: { path, damagedRuns: damagedRuns.slice(0, 100) } },
  );
}
