import { closeSync, existsSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { ConfigError, FlyballError } from '../../core/errors.js';
import type { Database, DriverName } from './database.js';
import { openDatabase } from './driver.js';
import { patiently } from './patience.js';
import { configure, migrate } from './schema.js';
import { refuseChangedDefinitions } from './schema-text.js';
import { storageError } from './storage-errors.js';
import { holdsRecords, lossIn, TailGuard, tailOf, unguarded } from './tail-guard.js';
import { NOTHING } from './tip-slots.js';

export interface OpenOptions {
  readonly path: string;
  readonly driver?: DriverName;
  /** Go on with a file that has lost committed records. */
  readonly acceptLoss?: boolean;
  readonly busyMs: number;
}

export interface OpenFile {
  readonly database: Database;
  readonly guard: TailGuard;
}

/** Opens the file, creates or migrates its tables, and refuses one that is damaged, newer or has lost records. */
export async function openFile(options: OpenOptions): Promise<OpenFile> {
  const { path } = options;
  if (typeof path !== 'string' || path === '' || path.startsWith(':') || path.startsWith('file:')) {
    throw new ConfigError(
      `sqliteEngine needs the path of a file, got ${JSON.stringify(path)}. For memory use memoryEngine().`,
    );
  }
  // looked at in this order: whoever makes a database makes its tip first, so only a copy can be there without one
  const isAlone = existsSync(path) && !existsSync(`${path}.tip`);
  const guard = openGuard(path);
  try {
    refuseEmptied(guard, options);
    if (isAlone) refuseWithoutLog(guard, options);
    return { guard, database: await openChecked(guard, options) };
  } catch (error) {
    guard.close();
    if (isAlone && error instanceof FlyballError && error.code === 'JOURNAL_TRUNCATED')
      rmSync(`${path}.tip`, { force: true });
    throw storageError(error, path);
  }
}

function openGuard(path: string): TailGuard {
  try {
    makeDirectory(dirname(path));
    return new TailGuard(`${path}.tip`);
  } catch (error) {
    throw storageError(error, path);
  }
}

/** Level by level: on a read-only disk Node's own recursion says that the path does not exist, which hides the reason. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, 0o700); // journals hold what tools were given, secrets included
  } catch (error) {
    if (!existsSync(path)) throw error; // otherwise another process was first
  }
}

/** SQLite would take an emptied file for a new one and delete the log beside it, with what could still be saved. */
function refuseEmptied(guard: TailGuard, { path, acceptLoss = false }: OpenOptions): void {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size > 0 || acceptLoss) return;
  const loss = lossIn(path, guard.recorded(), NOTHING);
  if (loss !== undefined) throw loss;
}

/**
 * A database that was copied while it was open, and without its log, opens without a word and lacks whatever the log
 * held: all of it, where nothing had been moved over yet. Closing the file properly takes it out of the mode that needs
 * a log, so one that is in that mode and has none is such a copy, unless the tip beside it knows better.
 */
function refuseWithoutLog(guard: TailGuard, { path, acceptLoss = false }: OpenOptions): void {
  if (acceptLoss || !existsSync(path) || existsSync(`${path}-wal`) || !needsLog(path)) return;
  if (holdsRecords(guard.recorded().tail)) return; // what is missing is counted below
  throw new FlyballError(
    'JOURNAL_TRUNCATED',
    `${path} was copied while it was in use, without ${basename(path)}-wal: the newest records, or all of them, are in that file. ` +
      'Copy both files, or copy the database after it was closed. To continue with what this file contains, run `flyball check --accept-loss`, or open it in code with `acceptLoss: true`.',
    { detail: { path } },
  );
}

/** Bytes 18 and 19 of the header: 2 for a database in write-ahead mode. */
function needsLog(path: string): boolean {
  const header = Buffer.alloc(20);
  const file = openSync(path, 'r');
  try {
    return readSync(file, header, 0, header.length, 0) === header.length && header[18] === 2;
  } finally {
    closeSync(file);
  }
}

/**
 * A new database belongs to its owner alone. SQLite gives the log and the shared memory beside it the same mode.
 * One that is there is not opened: closing it would drop every lock that this process holds on it.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

async function openChecked(guard: TailGuard, options: OpenOptions): Promise<Database> {
  const { path, driver, acceptLoss = false } = options;
  const recorded = guard.recorded(); // before the tables are read, or a commit in between would look like a loss
  const hadLog = hasLog(path);
  makePrivate(path);
  const database = await openDatabase(path, driver);
  try {
    await patiently(() => configure(database, path), options);
    await patiently(() => migrate(database, path), options);
    await refuseChangedDefinitions(database, path);
    const found = await patiently(() => tailOf(database), options);
    const loss = lossIn(path, recorded, found);
    if (loss !== undefined && !acceptLoss) throw loss;
    if (loss !== undefined) guard.acceptLoss(found);
    if (hadLog && holdsRecords(found) && (await staysBlank(guard))) process.emitWarning(unguarded(path));
    guard.start(found);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Without opening it: see `makePrivate`. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Another process that has just opened a restored database marks the tip in a moment. */
const MOMENT_MS = 20;

async function staysBlank(guard: TailGuard): Promise<boolean> {
  for (let looks = 0; looks < 5; looks += 1) {
    if (guard.recorded().state !== 'blank') return false;
    await new Promise((resolve) => setTimeout(resolve, MOMENT_MS));
  }
  return true;
}
